import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../../terminal/failure.ts';
import { print } from '../../terminal/print.ts';
import { urlOf } from '../admin-api.ts';
import { fetchAnswer, parseObject } from '../doctor/fetch-answer.ts';
import { EFFECTIVE_WITHIN_MS } from '../emergency/await-confirmation.ts';
import type { Deployment } from '../nodes/deployment.ts';

/** A key in the public list of the service. Times are Unix seconds. */
export interface ListedKey {
  readonly address: string;
  readonly from: number;
  readonly until?: number;
}

const TIMEOUT_MS = 10_000;

/** Reads the public list of verdict keys. Throws Failure if the service does not answer. */
export async function readVerdictKeys(url: string): Promise<readonly ListedKey[]> {
  const answer = await fetchAnswer(`${url}/verdict-keys`, TIMEOUT_MS, { redirect: 'manual' });
  const why = typeof answer === 'string' ? answer : `status ${answer.status}`;
  const keys = typeof answer === 'string' ? undefined : parseObject(answer).keys;
  if (Array.isArray(keys)) return keys;
  throw new Failure(`${url}/verdict-keys does not answer (${why})`);
}

export const listOfService = (deployment: Deployment) => readVerdictKeys(urlOf(deployment));

/** Returns the key that has not ended. */
export const currentOf = (keys: readonly ListedKey[]) => keys.find(({ until }) => until === undefined);

/** Returns the list as the secret `VERDICT_KEYS` has it. */
export const secretOf = (keys: readonly ListedKey[]) =>
  JSON.stringify(
    Object.fromEntries(keys.map(({ address, from, until }) => [address, until === undefined ? [from] : [from, until]])),
  );

/** Waits until the service shows that list. */
export async function awaitList(deployment: Deployment, wanted: readonly ListedKey[]): Promise<void> {
  let answer = '';
  for (const until = performance.now() + EFFECTIVE_WITHIN_MS; performance.now() < until; await sleep(500)) {
    const shown = await listOfService(deployment).catch((fault: Failure) => fault);
    if (shown instanceof Error) answer = shown.message;
    else if (secretOf(shown) === secretOf(wanted)) return print('the service shows it');
    else answer = 'it shows the list of before';
  }
  throw new Failure(
    `the secret is set, and the service did not show it within a minute (${answer}): run \`list\` until it does`,
  );
}
