import type { Milliseconds } from '../lib/brand.ts';
import { MINUTE_MS, SECOND_MS } from '../lib/time.ts';
import type { SandboxCase } from '../network/sandbox.ts';
import type { StepKind } from '../pass/step-kinds.ts';
import type { WaitCode } from '../pass/wait-reasons.ts';

/** A change by others that follows an issuance. */
export interface LaterChange {
  /** Time from the issuance until the change. */
  readonly afterMs: Milliseconds;
  readonly kind: StepKind | 'burn';
  /** Time from the issuance until the new expiry, for `set-expiry`. */
  readonly expiresAfterMs?: Milliseconds | undefined;
}

/** How the simulated chain treats a wallet. An empty script treats it as any other one. */
export interface Script {
  /** The steps that the contract refuses permanently. */
  readonly refuses?: 'issue' | 'change' | 'everything' | undefined;
  /** Why a step of the wallet waits, for as long as it has this script. Steps of other wallets do not wait. */
  readonly waits?: Extract<WaitCode, 'no-funds' | 'nodes-unanswered'> | undefined;
  /** Time that passes in addition until a block confirms a transaction. */
  readonly delayMs?: Milliseconds | undefined;
  /** The issuance leaves the chain once after its confirmation. Then it comes back, or it is dropped and its nonce used. */
  readonly reorg?: 'again' | 'dropped' | undefined;
  /** The wallet has a token of others from the beginning. */
  readonly holdsToken?: true | undefined;
  readonly afterIssuance?: readonly LaterChange[] | undefined;
}

/** The scripts of the deterministic wallets. The request path answers for the last two before any chain is asked. */
export const SCRIPTS: Readonly<Record<SandboxCase, Script>> = {
  'takes-a-minute': { delayMs: MINUTE_MS },
  rejected: { refuses: 'issue' },
  reorged: { reorg: 'again' },
  'reorged-and-dropped': { reorg: 'dropped' },
  'never-funded': { waits: 'no-funds' },
  'node-away': { waits: 'nodes-unanswered' },
  // The request path gives these two their lifetimes.
  expires: {},
  announced: {},
  revoked: { afterIssuance: [{ afterMs: 30 * SECOND_MS, kind: 'revoke' }] },
  frozen: { afterIssuance: [{ afterMs: 30 * SECOND_MS, kind: 'freeze' }] },
  adopted: { holdsToken: true },
  'quota-exceeded': {},
  'rate-limited': {},
};
