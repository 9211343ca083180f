/** Returns the two numbers of an ECDSA signature in DER (RFC 3279 §2.2.3); undefined if the bytes are anything else. Pure. */
export function readDerSignature(bytes: Uint8Array): { readonly r: bigint; readonly s: bigint } | undefined {
  const [tag, length] = bytes;
  // A signature of 256 bits has at most 70 bytes, so a longer form of the length never occurs.
  if (tag !== SEQUENCE || length !== bytes.length - 2 || length > 70) return undefined;
  const r = readInteger(bytes, 2);
  const s = r && readInteger(bytes, r.end);
  return r && s?.end === bytes.length ? { r: r.value, s: s.value } : undefined;
}

const SEQUENCE = 0x30;
const INTEGER = 0x02;

/** Returns the positive integer at that place in its shortest form, and where it ends. */
function readInteger(bytes: Uint8Array, at: number): { readonly value: bigint; readonly end: number } | undefined {
  const [tag, length = 0] = bytes.subarray(at, at + 2);
  const digits = bytes.subarray(at + 2, at + 2 + length);
  const [first = 0x80, second = 0x80] = digits;
  if (tag !== INTEGER || digits.length !== length || first >= 0x80) return undefined;
  // A leading zero only keeps the number positive.
  if (first === 0 && second < 0x80) return undefined;
  return { value: digits.reduce((value, digit) => (value << 8n) | BigInt(digit), 0n), end: at + 2 + length };
}
