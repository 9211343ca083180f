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

/** A pass for which a contract demands a signature, and the contract. */
export interface VerdictOptions extends VerifyOptions {
  /** The id of the chain on which the contract is. The pass may be on another one. */
  readonly chainId: number;
  /** The address of the contract that asks `PassVerdicts`. No other one accepts the signature. */
  readonly verifyingContract: string;
}

/** A signed message of EIP-712, as viem's `verifyTypedData` takes it. The contract takes `message` and `signature`. */
export interface SignedVerdict {
  readonly domain: {
    readonly name: string;
    readonly version: string;
    readonly chainId: number;
    readonly verifyingContract: `0x${string}`;
  };
  readonly types: Readonly<Record<string, readonly { readonly name: string; readonly type: string }[]>>;
  readonly primaryType: 'PassVerdict';
  readonly message: {
    readonly passChainId: bigint;
    readonly gateway: `0x${string}`;
    readonly gatekeeperNetwork: bigint;
    readonly wallet: `0x${string}`;
    /** Unix seconds. */
    readonly issuedAt: bigint;
    /** The last second in which the contract accepts it (Unix), at most ten minutes after `issuedAt`. */
    readonly notAfter: bigint;
  };
  readonly signature: `0x${string}`;
}

/** The service has signed nothing, because the pass is not valid, or the service has not followed its chain. */
export class VerdictNotSigned extends GatepassError {
  override readonly name = 'VerdictNotSigned';
  /** For example `frozen`. Later releases may add codes. */
  readonly code: string;
  readonly verification: PassVerification;

  constructor(verification: PassVerification) {
    const { code = 'unknown', detail = 'the service has signed nothing' } = verification.notSigned ?? {};
    super(detail);
    this.code = code;
    this.verification = verification;
  }
}

/**
 * Fetches a signed verdict for a call of a contract on any chain. Each caller may ask for 20 in 10 seconds. Fetch one for each call, just
 * before it. Throws VerdictNotSigned if the pass is not valid, GatepassProblem with the code `verdicts_not_enabled` if the service has no key, and
 * the errors of `verify`.
 */
export async function signedVerdict(options: VerdictOptions): Promise<SignedVerdict> {
  const { chainId, verifyingContract, maxAge, fetch: send = fetch } = options;
  const query = `signed=1&chainId=${chainId}&verifyingContract=${encodeURIComponent(verifyingContract)}`;
  const rest = (maxAge === undefined ? '?' : '&') + query;
  // `verify` itself knows no signature: pages that need none load no code for it.
  const verification = await verify({ ...options, fetch: (url, init) => send(url + rest, init) });
  const { verdict } = verification;
  if (!verification.valid || verdict === undefined) throw new VerdictNotSigned(verification);
  const { passChainId, gatekeeperNetwork, issuedAt, notAfter } = verdict.message;
  const numbers = { passChainId, gatekeeperNetwork, issuedAt, notAfter };
  const asBigInts = Object.fromEntries(Object.entries(numbers).map(([name, number]) => [name, BigInt(number)]));
  return { ...verdict, message: { ...verdict.message, ...asBigInts } } as unknown as SignedVerdict;
}

/** A gateway in between may answer anything. */
function isVerification(body: unknown): body is PassVerification {
  return typeof body === 'object' && body !== null && 'valid' in body && typeof body.valid === 'boolean';
}
