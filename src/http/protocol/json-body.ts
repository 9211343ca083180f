import { withTimeout } from '../../lib/with-timeout.ts';
import { type Refusal, refuse } from './problem.ts';

export const BODY_MAX_BYTES = 16 * 1024;
/** A hundred items with the longest references and reasons, also if each letter of them is escaped. */
export const BULK_BODY_MAX_BYTES = 320 * 1024;
/** Number of objects and lists inside each other, the body included. No schema has a third of them. */
export const BODY_MAX_DEPTH = 16;
/** A sender that stops or is slow cannot keep its request open for longer. */
const BODY_TIMEOUT_MS = 10_000;

/**
 * Returns the JSON value in the body, or `{}` if there is no body. Stops to read as soon as the body is too large, or after ten
 * seconds.
 * @param hasItems Whether the body is that of a bulk request: it may be larger, and the depth of its items is not checked,
 *   because a bad item stops no other.
 */
export async function readJson(request: Request, hasItems = false): Promise<{ value: unknown } | Refusal> {
  const maxBytes = hasItems ? BULK_BODY_MAX_BYTES : BODY_MAX_BYTES;
  const length = request.headers.get('content-length') ?? '';
  if (Number(length) > maxBytes) return refuseTooLarge(maxBytes);
  // A body with a Content-Length has that length (RFC 9112 §6.3). Reading it at once takes half the time of a stream.
  const bytes = await (/^\d+$/.test(length) ? readWhole(request, maxBytes) : readStream(request, maxBytes));
  if ('code' in bytes) return bytes;
  if (bytes.length === 0) return { value: {} };
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/json\s*(;|$)/i.test(type)) return refuse('unsupported_media_type');
  // Decompressed, a body may become a thousand times as large.
  if (!/^(identity)?$/i.test(request.headers.get('content-encoding') ?? '')) return COMPRESSED;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const value: unknown = JSON.parse(text);
    if (exceedsDepth(hasItems ? withoutItems(value) : value, BODY_MAX_DEPTH)) return TOO_DEEP;
    return countFields(text) === countFieldsOf(value) ? { value } : FIELD_TWICE;
  } catch {
    return refuse('invalid_json');
  }
}

const refuseTooLarge = (maxBytes: number) =>
  refuse('body_too_large', { detail: `The body is larger than ${maxBytes / 1024} KiB. Send a smaller one.` });

/** RFC 9110 §15.5.16. */
const COMPRESSED = refuse('unsupported_media_type', {
  detail: 'The body is compressed. Send it without Content-Encoding.',
  headers: { 'accept-encoding': 'identity' },
});

/** Parsers disagree about which of two equal fields counts (RFC 8259 §4), so one could miss the value that another checked. */
const FIELD_TWICE = refuse('invalid_json', {
  detail: 'An object in the body has the same field twice. Send each field once.',
});

export const TOO_DEEP = refuse('invalid_json', {
  detail: `The JSON has more than ${BODY_MAX_DEPTH} levels of objects and lists. Send fewer levels.`,
});

/**
 * Whether the value has more levels of objects and lists than that. A function that calls itself for each level of a body
 * overflows the stack at some thousand levels, so this one stops at the maximum.
 */
export function exceedsDepth(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => exceedsDepth(inner, levels - 1));
}

function withoutItems(value: unknown): unknown {
  const { items } = Object(value) as { items?: unknown };
  return Array.isArray(items) ? { ...Object(value), items: [] } : value;
}

/** The connection broke before the end of the body. */
const CUT_OFF = refuse('invalid_json');
const TOO_SLOW = refuse('body_timeout');

/** Returns the number of fields in a JSON text: the strings that a colon follows. */
function countFields(json: string): number {
  return [...json.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)].filter(([, colon]) => colon !== undefined).length;
}

/** Returns the number of fields of all objects in the value. It keeps its own stack, because an item may be deep. */
function countFieldsOf(value: unknown): number {
  let fields = 0;
  const open = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null) continue;
    const inner = Object.values(next);
    if (!Array.isArray(next)) fields += inner.length;
    for (const each of inner) open.push(each);
  }
  return fields;
}

async function readWhole(request: Request, maxBytes: number): Promise<Uint8Array | Refusal> {
  try {
    const whole = await withTimeout(BODY_TIMEOUT_MS, request.arrayBuffer(), undefined);
    if (whole === undefined) return TOO_SLOW;
    return whole.byteLength > maxBytes ? refuseTooLarge(maxBytes) : new Uint8Array(whole);
  } catch {
    return CUT_OFF;
  }
}

async function readStream({ body }: Request, maxBytes: number): Promise<Uint8Array | Refusal> {
  const reader = body?.getReader();
  if (reader === undefined) return new Uint8Array();
  const bytes = await withTimeout(BODY_TIMEOUT_MS, readChunks(reader, maxBytes), TOO_SLOW);
  // Nothing reads the rest. Canceling fails if the connection broke, which changes nothing.
  if ('code' in bytes) reader.cancel().catch(() => undefined);
  return bytes;
}

async function readChunks(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  maxBytes: number,
): Promise<Uint8Array | Refusal> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      length += read.value.length;
      if (length > maxBytes) return refuseTooLarge(maxBytes);
      chunks.push(read.value);
    }
  } catch {
    return CUT_OFF;
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
