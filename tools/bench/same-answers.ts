import { deepStrictEqual } from 'node:assert/strict';
import { Failure } from '../../terminal/failure.ts';
import type { Request } from './load.ts';

/** A service whose answers are compared. */
interface Answering {
  readonly baseUrl: string;
}

/** Throws Failure if the services answer the same request differently, because then no comparison is possible. */
export async function demandSameAnswers(
  servers: Readonly<Record<string, Answering>>,
  requests: readonly Request[],
): Promise<void> {
  for (const request of requests) {
    const answers = await Promise.all(
      Object.entries(servers).map(async ([name, { baseUrl }]) => ({ name, ...(await fetchAnswer(baseUrl, request)) })),
    );
    const [first, ...others] = answers;
    for (const other of others) {
      try {
        deepStrictEqual(other.body, first?.body);
      } catch (difference) {
        throw new Failure(`${first?.name} and ${other.name} answer ${request.path} differently: ${difference}`);
      }
    }
  }
}

async function fetchAnswer(baseUrl: string, { path, ...request }: Request): Promise<{ body: unknown }> {
  const response = await fetch(baseUrl + path, request);
  const text = await response.text();
  if (!response.ok) throw new Failure(`${baseUrl}${path} answers ${response.status}: ${text}`);
  return { body: JSON.parse(text) };
}
