import { type PassVerification, type VerifyOptions, verify } from '@gatepass/client/verify';
import type { PassReader, Reading, TokenState } from './reader.ts';

export interface ServiceOptions extends Pick<VerifyOptions, 'baseUrl' | 'chain' | 'maxAge' | 'fetch'> {}

/** A page asks again anyway. */
const RETRIES = { times: 0, withinMs: 10_000, attemptMs: 10_000 };

/**
 * Asks the public check of the service, for a page without a node. Answers are up to 15 seconds old, and the page trusts the operator. The
 * operator must have enabled public checks for the gatekeeper network.
 */
export function verifyReader({ baseUrl, chain, ...options }: ServiceOptions): PassReader {
  return {
    key: `${baseUrl}/${chain.type}/${chain.network}`,
    async read({ wallet: walletAddress, gatekeeperNetwork }, signal) {
      const query = { ...options, baseUrl, chain, gatekeeperNetwork, walletAddress };
      return readingOf(await verify({ ...query, retries: RETRIES, signal }));
    },
  };
}

const STATES: readonly string[] = ['NONE', 'ACTIVE', 'FROZEN', 'REVOKED'] satisfies TokenState[];

function readingOf({ valid, state, pending, expiryTimestamp, asOf }: PassVerification): Reading {
  if (!STATES.includes(state)) throw new Error(`the service knows the state ${state}, which this release does not`);
  return {
    valid,
    // Others have taken access away, and it is not final yet: for now the pass is out of force, like a frozen one.
    state: pending ? 'FROZEN' : (state as TokenState),
    ...(expiryTimestamp !== undefined && { expiry: expiryTimestamp }),
    time: asOf,
  };
}
