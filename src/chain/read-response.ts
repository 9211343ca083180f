/**
 * In characters: more than any single honest answer has (a block with the hashes of 5,000 transactions: 350,000), and
 * batches that come to more are asked in halves. What JSON may come to in memory is twenty times as much (`[{},{},…]`), of
 * the 128 MB that a Worker has.
 */
const RESPONSE_MAX_CHARS = 2_000_000;
export const TOO_LONG = Symbol('too long');

/** The JSON of a node's answer; undefined for what is none, and TOO_LONG where there is more of it than may be kept. */
export async function readResponse({ body }: Response): Promise<unknown> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const bytes of body ?? []) {
      text += decoder.decode(bytes, { stream: true });
      if (text.length > RESPONSE_MAX_CHARS) return TOO_LONG;
    }
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
