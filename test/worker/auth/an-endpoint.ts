import { inject } from 'vitest';
import type { StubbedAnswer } from '../../special-issuer.ts';

/** An endpoint of the outside localnet with the answer that the test sets. */
export interface Endpoint {
  readonly url: string;
  answers(answer: StubbedAnswer): Promise<void>;
  /** The number of requests to it. */
  asked(): Promise<number>;
}

export async function anEndpoint(answer: StubbedAnswer = {}): Promise<Endpoint> {
  const url = `${inject('specialIssuer').jwksUrl}/${crypto.randomUUID()}`;
  const endpoint: Endpoint = {
    url,
    async answers(next) {
      await (await fetch(url, { method: 'PUT', body: JSON.stringify(next) })).text();
    },
    asked: async () => Number(await (await fetch(`${url}?asked`)).text()),
  };
  await endpoint.answers(answer);
  return endpoint;
}
