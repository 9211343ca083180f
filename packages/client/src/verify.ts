import { GatepassError, GatepassProblem } from './errors.ts';
import type { PassKey } from './pass.ts';
import { type Retries, withRetries } from './retries.ts';
import type { components } from './schema.ts';
import { type Fetch, sendWith } from './send.ts';

/** Whether a wallet has a valid pass. Later releases may add fields and values. */
export type PassVerification = components['schemas']['Verification'];

/** A wallet's pass to check. A pass itself can be used together with `baseUrl`. */
export interface VerifyOptions extends PassKey {
  /** Origin and base path of the service. */
  readonly baseUrl: string;
  /** The gatekeeper network whose passes count. Its operator must have enabled public checks. */
  readonly gatekeeperNetwork: string;
  /**
   * The greatest number of seconds between `coveredUntil` and now that you accept, 1 to 86,400. GatepassProblem with the code
   * `not_fresh_enough` is thrown if the service has not followed the chain that far. 90 suits the default interval of every network.
   * Default: any number.
   */
  readonly maxAge?: number;
  readonly retries?: Retries;
  /** Replaces the platform's `fetch`. It is called without a `this`. */
  readonly fetch?: Fetch;
  readonly signal?: AbortSignal;
}

/** A page does not wait as long as a back end. */
const RETRIES: Retries = { times: 2, withinMs: 10_000, attemptMs: 5_000 };

/**
 * Asks the service whether a wallet has a valid pass. It needs no credentials, so a page may call it. The answer is up to 15 seconds
 * old, and a smart contract must check on chain instead. Treat a thrown error as "not valid": GatepassProblem with the code
 * `not_found` for a gatekeeper network without public checks, and GatepassUnreachable if there is no answer.
 */
export async function verify(options: VerifyOptions): Promise<PassVerification> {
  const { baseUrl, gatekeeperNetwork, chain, walletAddress, maxAge, retries = RETRIES, fetch, signal } = options;
  const path = [gatekeeperNetwork, chain.type, chain.network, walletAddress].map(encodeURIComponent).join('/');
  const query = maxAge === undefined ? '' : `?maxAge=${encodeURIComponent(maxAge)}`;
  const url = `${baseUrl.replace(/\/+$/, '')}/verify/${path}${query}`;
  if (!/^https?:/.test(url) || !URL.canParse(url))
    throw new GatepassError('baseUrl must be a URL that begins with http');
  const call = { url, method: 'GET', headers: {}, body: null, ...(signal && { signal }) };
  const answer = await withRetries(sendWith(fetch), retries)(call);
  const body: unknown = await answer.json().catch(() => undefined);
  if (!answer.ok || !isVerification(body)) throw new GatepassProblem(answer, body);
  return body;
}

/** A gateway in between may answer anything. */
function isVerification(body: unknown): body is PassVerification {
  return typeof body === 'object' && body !== null && 'valid' in body && typeof body.valid === 'boolean';
}
