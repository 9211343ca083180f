import type { Hex } from '../../lib/hex.ts';

/** Recursive Length Prefix (Yellow Paper, appendix B), in hexadecimal digits. */

/** Bytes, or a list of items. */
export type RlpItem = Hex | readonly RlpItem[];

/** First byte of a text of no bytes, and of an empty list. The lengths up to `SHORT_MAX` are added to it. */
const BYTES = 0x80;
const LIST = 0xc0;
const SHORT_MAX = 55;
/** A longer item has its length after the first byte. No transaction needs more than four bytes for it. */
const LENGTH_MAX_BYTES = 4;

/** Throws if the item contains anything but whole bytes. */
export function encodeRlp(item: RlpItem): Hex {
  return `0x${encode(item)}`;
}

function encode(item: RlpItem): string {
  if (typeof item !== 'string') {
    const body = item.map(encode).join('');
    return prefix(LIST, body.length / 2) + body;
  }
  if (!isBytes(item)) throw new Error('an item has other characters than whole bytes');
  const body = item.slice(2).toLowerCase();
  const isItsOwnPrefix = body.length === 2 && Number.parseInt(body, 16) < BYTES;
  return isItsOwnPrefix ? body : prefix(BYTES, body.length / 2) + body;
}

function prefix(first: number, length: number): string {
  if (length <= SHORT_MAX) return (first + length).toString(16);
  const digits = length.toString(16);
  const bytes = Math.ceil(digits.length / 2);
  return (first + SHORT_MAX + bytes).toString(16) + digits.padStart(2 * bytes, '0');
}

/** Throws unless the text is exactly one item. */
export function decodeRlp(text: string): RlpItem {
  if (!isBytes(text)) throw new Error('the text has other characters than whole bytes');
  const [item, end] = itemAt(text.slice(2).toLowerCase(), 0);
  if (end !== text.length - 2) throw new Error('more follows after the item');
  return item;
}

/** Whether the text is whole bytes in hexadecimal digits. */
const isBytes = (text: string): text is Hex => text.length % 2 === 0 && /^0x[0-9a-f]*$/i.test(text);

/** Returns the item that begins at that digit, and the digit after it. */
function itemAt(digits: string, at: number): [RlpItem, number] {
  const first = numberAt(digits, at, 1);
  if (first < BYTES) return [`0x${digits.slice(at, at + 2)}`, at + 2];
  const kind = first < LIST ? BYTES : LIST;
  const bytesOfLength = Math.max(0, first - kind - SHORT_MAX);
  if (bytesOfLength > LENGTH_MAX_BYTES) throw new Error('the length of an item is too large');
  const start = at + 2 + 2 * bytesOfLength;
  const end = start + 2 * (bytesOfLength > 0 ? numberAt(digits, at + 2, bytesOfLength) : first - kind);
  if (end > digits.length) throw new Error('an item ends after the text');
  if (kind === BYTES) return [`0x${digits.slice(start, end)}`, end];
  const items: RlpItem[] = [];
  let next = start;
  while (next < end) {
    const [item, after] = itemAt(digits, next);
    items.push(item);
    next = after;
  }
  if (next !== end) throw new Error('an item ends after its list');
  return [items, end];
}

function numberAt(digits: string, at: number, bytes: number): number {
  const part = digits.slice(at, at + 2 * bytes);
  if (part.length < 2 * bytes) throw new Error('the text ends within an item');
  return Number.parseInt(part, 16);
}
