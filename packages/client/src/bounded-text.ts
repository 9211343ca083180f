import { AnswerTooLarge } from './errors.ts';

/** More than the largest page of the service has. */
const ANSWER_MAX_BYTES = 32 * 1024 * 1024;
/** Levels of objects and lists. No answer of the service has a quarter of them. */
const LEVELS_MAX = 64;
/** Objects, lists and members. The largest page of the service has a tenth of them. A parser takes up to a hundred bytes for each. */
const VALUES_MAX = 1_000_000;

/**
 * Returns the text of an answer with at most this many bytes, counted after decompression. Otherwise a server could fill the memory.
 * Throws AnswerTooLarge, and ends the connection.
 */
export async function readText(answer: Response, url: string, maxBytes = ANSWER_MAX_BYTES): Promise<string> {
  // React Native has no streams.
  if (!answer.body) return answer.text();
  const decoder = new TextDecoder();
  const reader = answer.body.getReader();
  const parts: string[] = [];
  let size = 0;
  for (let { value, done } = await reader.read(); !done; { value, done } = await reader.read()) {
    size += value?.length ?? 0;
    if (size > maxBytes) {
      reader.cancel().catch(() => undefined);
      throw new AnswerTooLarge(url, maxBytes);
    }
    parts.push(decoder.decode(value, { stream: true }));
  }
  return parts.join('') + decoder.decode();
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Whether a parser of JSON may read the text: lists inside each other take thirty times the memory of their text. */
export function isParsable(json: string): boolean {
  let [levels, values, isText] = [0, 0, false];
  for (let at = 0; at < json.length; at++) {
    const char = json.charCodeAt(at);
    if (isText && char === BACKSLASH) at += 1;
    else if (char === QUOTE) isText = !isText;
    else if (!isText && (char === OPEN_LIST || char === OPEN_OBJECT)) {
      levels += 1;
      values += 1;
    } else if (!isText && (char === CLOSE_LIST || char === CLOSE_OBJECT)) levels -= 1;
    else if (!isText && char === COMMA) values += 1;
    if (levels > LEVELS_MAX || values > VALUES_MAX) return false;
  }
  return true;
}
