import { AnswerTooLarge, type Fetch } from '@gatepass/client';

const ANSWER_MAX_BYTES = 1024 * 1024;

/**
 * Returns a `fetch` for a request without the client: it also reads a limited number of bytes, counted after decompression, and follows
 * no redirect.
 */
export function boundedFetch(maxBytes = ANSWER_MAX_BYTES): Fetch {
  return async (url, init) => {
    const answer = await fetch(url, { ...init, redirect: 'manual' });
    const { status, statusText, headers, body } = answer;
    if (body === null) return answer;
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of body) {
      size += chunk.length;
      // Leaving the loop ends the connection.
      if (size > maxBytes) throw new AnswerTooLarge(url, maxBytes);
      chunks.push(chunk);
    }
    return new Response(Buffer.concat(chunks), { status, statusText, headers });
  };
}
