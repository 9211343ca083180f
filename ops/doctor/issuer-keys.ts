import { calculateJwkThumbprint, createLocalJWKSet, type JSONWebKeySet, type JWK } from 'jose';
import { fetchKeys } from '../../src/auth/fetch-keys.ts';
import { fail, ok, type Verdict } from './check.ts';
import { causeOf } from './fetch-answer.ts';

/** The keys at a URL, as the Worker can use them. */
export interface IssuerKeys {
  /** Why there are none; undefined: they were read. */
  readonly fault?: string;
  readonly count: number;
  readonly usable: readonly JWK[];
}

export async function fetchIssuerKeys(url: string, algorithms: readonly string[]): Promise<IssuerKeys> {
  try {
    const set = await fetchKeys(url);
    return { count: set.keys.length, usable: await usableIn(set, algorithms) };
  } catch (error) {
    return { fault: causeOf(error), count: 0, usable: [] };
  }
}

/** Those that the Worker finds for a token: by the library that it asks. */
async function usableIn(set: JSONWebKeySet, algorithms: readonly string[]): Promise<JWK[]> {
  const find = createLocalJWKSet(set);
  const isFound = async (kid: string | undefined) => {
    if (!kid) return false;
    const keys = await Promise.allSettled(algorithms.map((alg) => find({ alg, kid })));
    return keys.some(({ status }) => status === 'fulfilled');
  };
  const found = await Promise.all(set.keys.map(({ kid }) => isFound(kid)));
  return set.keys.filter((_, index) => found[index]);
}

/** @param variable That names the URL. */
export function keysVerdict({ fault, count, usable }: IssuerKeys, url: string, variable: string): Verdict {
  if (fault !== undefined) {
    return fail(
      `${url} gives no keys (${fault})`,
      `set ${variable} to the "jwks_uri" of the issuer: it is fetched within two seconds, and redirects are not followed`,
    );
  }
  if (usable.length === 0) {
    return fail(
      `none of its ${count} keys has a "kid" and an algorithm of TOKEN_ALGORITHMS`,
      'name the algorithm that the issuer signs access tokens with in TOKEN_ALGORITHMS',
    );
  }
  return ok(`${usable.length} of ${count} can be used`);
}

/** How many keys are in both, and how many in one of them only: by their ids and by what they are (RFC 7638). */
export async function compareKeys(ours: readonly JWK[], theirs: readonly JWK[]) {
  const [here, there] = (await Promise.all([namesOf(ours), namesOf(theirs)])) as [Set<string>, Set<string>];
  const shared = [...here].filter((name) => there.has(name)).length;
  return { shared, missing: there.size - shared, more: here.size - shared };
}

/** Ids alone are no proof: two issuers may call their keys "1". */
async function namesOf(keys: readonly JWK[]): Promise<Set<string>> {
  return new Set(await Promise.all(keys.map(async (key) => `${key.kid} ${await calculateJwkThumbprint(key)}`)));
}
