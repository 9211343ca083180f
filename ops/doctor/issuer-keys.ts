import { calculateJwkThumbprint, type JWK } from 'jose';
import { fetchKeys, keysFor } from '../../src/auth/fetch-keys.ts';
import { fail, ok, type Verdict } from './check.ts';
import { causeOf } from './fetch-answer.ts';

/** The keys at a URL, and the ones that the Worker can use. */
export interface IssuerKeys {
  /** Why the keys could not be read; absent if they were. */
  readonly fault?: string;
  readonly count: number;
  readonly usable: readonly JWK[];
}

export async function fetchIssuerKeys(url: string, algorithms: readonly string[]): Promise<IssuerKeys> {
  try {
    const { keys } = await fetchKeys(url);
    return { count: keys.length, usable: await keysFor(algorithms, keys) };
  } catch (error) {
    return { fault: causeOf(error), count: 0, usable: [] };
  }
}

/** @param variable The variable that contains the URL. */
export function keysVerdict({ fault, count, usable }: IssuerKeys, url: string, variable: string): Verdict {
  if (fault !== undefined) {
    return fail(
      `${url} serves no keys (${fault})`,
      `set ${variable} to the "jwks_uri" of the issuer: the Worker waits two seconds for it and does not follow redirects`,
    );
  }
  if (usable.length === 0) {
    return fail(
      `none of its ${count} keys has a "kid" and an algorithm of TOKEN_ALGORITHMS`,
      'add the algorithm with which the issuer signs access tokens to TOKEN_ALGORITHMS',
    );
  }
  return ok(`${usable.length} of ${count} are usable`);
}

/** Counts the keys in both sets and in one set only. It compares key ids and thumbprints (RFC 7638). */
export async function compareKeys(ours: readonly JWK[], theirs: readonly JWK[]) {
  const [here, there] = (await Promise.all([namesOf(ours), namesOf(theirs)])) as [Set<string>, Set<string>];
  const shared = [...here].filter((name) => there.has(name)).length;
  return { shared, missing: there.size - shared, more: here.size - shared };
}

/** Returns id and thumbprint of each key. An id alone proves nothing: two issuers may both use the id "1". */
async function namesOf(keys: readonly JWK[]): Promise<Set<string>> {
  return new Set(await Promise.all(keys.map(async (key) => `${key.kid} ${await calculateJwkThumbprint(key)}`)));
}
