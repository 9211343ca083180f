/** Returns base64 of the bytes, with padding (RFC 4648 §4). */
export const encodeBase64 = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));

/** Returns base64url of the bytes, without padding (RFC 4648 §5). */
export const encodeBase64Url = (bytes: Uint8Array): string =>
  encodeBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

/** Returns the bytes. Throws if the text is not exactly what `encodeBase64` returns for them. */
export const decodeBase64 = (text: string): Uint8Array<ArrayBuffer> => decodeExactly(text, text, encodeBase64);

/** Returns the bytes. Throws if the text is not exactly what `encodeBase64Url` returns for them. */
export const decodeBase64Url = (text: string): Uint8Array<ArrayBuffer> =>
  decodeExactly(text, text.replaceAll('-', '+').replaceAll('_', '/'), encodeBase64Url);

/** `atob` ignores white space, missing padding and bits after the last byte. The comparison refuses them. */
function decodeExactly(text: string, base64: string, encode: (bytes: Uint8Array) => string): Uint8Array<ArrayBuffer> {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  if (encode(bytes) !== text) throw new Error('the text is not base64 in its only form');
  return bytes;
}
