import type { Signed } from '../chain/port.ts';
import type { Milliseconds } from '../lib/brand.ts';
import type { OnChain } from '../pass/pass.ts';
import type { StepStatus } from '../pass/step.ts';

/** Converts between the JSON in a signer's rows, which has the names of the first release, and the names in the code. */

/** A signed transaction as the signer stores it. */
export interface StoredTransaction extends Signed {
  /** On-chain state after the transaction. */
  readonly expectedOnChain: OnChain;
  /** Whether an earlier step for the wallet was not final when the chain was read. The reading may lack its effect. */
  readonly basedOnNonFinal?: boolean | undefined;
  /** When it was signed; undefined: an earlier release signed it. */
  readonly signedAtMs?: Milliseconds;
}

/** Returns a status as stored in column `standing`: `type` is stored as `at`, `basedOnNonFinal` as `unsure`. */
export function formatStatus(status: StepStatus): string {
  const { type, ...rest } = status;
  if (!('basedOnNonFinal' in rest)) return JSON.stringify({ at: type, ...rest });
  const { basedOnNonFinal, ...others } = rest;
  return JSON.stringify({ at: type, ...others, unsure: basedOnNonFinal });
}

export function parseStatus(json: string): StepStatus {
  const { at, unsure, ...rest } = JSON.parse(json);
  return { type: at, ...rest, ...(unsure !== undefined && { basedOnNonFinal: unsure }) };
}

/**
 * Returns a signed transaction as stored in column `signed`: `expectedOnChain` is stored as `leaves`, `basedOnNonFinal` as
 * `unsure`, `signedAtMs` as `at`.
 */
export function formatTransaction({
  expectedOnChain,
  basedOnNonFinal,
  signedAtMs,
  ...signed
}: StoredTransaction): string {
  return JSON.stringify({ ...signed, leaves: expectedOnChain, unsure: basedOnNonFinal, at: signedAtMs });
}

export function parseTransactions(json: string): StoredTransaction[] {
  return (JSON.parse(json) as Record<string, unknown>[]).map(({ leaves, unsure, at, ...signed }) => ({
    ...(signed as unknown as StoredTransaction),
    expectedOnChain: leaves as StoredTransaction['expectedOnChain'],
    ...(unsure !== undefined && { basedOnNonFinal: unsure as boolean }),
    ...(at !== undefined && { signedAtMs: at as number }),
  }));
}
