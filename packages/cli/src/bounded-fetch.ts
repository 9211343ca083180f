import { type Fetch, GatepassError } from '@gatepass/client';

/** More than the largest page of the service has. */
const ANSWER_MAX_BYTES = 32 * 1024 * 1024;

/** An answer is too large to be one of the service. A retry would read it again, so there is none. */
export class AnswerTooLarge extends GatepassError {
  override readonly name = 'AnswerTooLarge';

  constructor(url: string, maxBytes: number) {
    super(`the answer of ${new URL(url).host} has more than ${maxBytes / 1024 / 1024} MiB, so it is not the service's`);
  }
}

/**
 * Returns a `fetch` that reads at most this many bytes of an answer, counted after decompression. Otherwise a server could fill the
 * memory. It follows no redirect, because that could send a token or a secret elsewhere.
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
