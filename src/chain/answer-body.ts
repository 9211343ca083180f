/** More than any honest answer has, in characters, and little of what the Worker's memory holds. */
const LONGEST = 16_000_000;
export const TOO_LONG = Symbol('too long');

/** The JSON of a node's answer; undefined for what is none, and TOO_LONG where there is more of it than may be kept. */
export async function answerBody({ body }: Response): Promise<unknown> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const bytes of body ?? []) {
      text += decoder.decode(bytes, { stream: true });
      if (text.length > LONGEST) return TOO_LONG;
    }
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
