/**
 * More characters than any single honest answer has: a block with the hashes of 5,000 transactions has 350,000. The adapter
 * sends a batch with a longer answer again in halves. Parsed JSON may need twenty times its length (`[{},{},…]`), and a Worker
 * has 128 MB.
 */
const RESPONSE_MAX_CHARS = 2_000_000;
export const TOO_LONG = Symbol('too long');

/**
 * Returns the JSON of a node's answer, undefined if it is not JSON, or TOO_LONG if it exceeds the maximum length. Throws if the
 * node does not send the rest of its answer.
 */
export async function readResponse({ body }: Response): Promise<unknown> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of body ?? []) {
    text += decoder.decode(bytes, { stream: true });
    if (text.length > RESPONSE_MAX_CHARS) return TOO_LONG;
  }
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
