import { type Address, type Instruction, isSignerRole, type ReadonlyUint8Array } from '@solana/kit';
import type { EnabledSolana } from '../../config/signers.ts';
import { TOKEN_STATES } from '../plan-step.ts';
import type { MicroLamports } from '../units.ts';
import { ISSUE, SET_STATE, UPDATE_EXPIRY } from './gateway.ts';
import type { BlockhashLifetime } from './network-conditions.ts';

/** The price, the compute units and the lifetime of a transaction. */
export interface Bounds {
  readonly unitPrice: MicroLamports;
  /** Limit of its compute units. */
  readonly units: number;
  readonly lifetime: BlockhashLifetime;
}

/**
 * Returns why a transaction must not be signed, or undefined if it is one call of the configured program that the service makes
 * and that only the gatekeeper signs. The check runs at the point of signing, independent of earlier checks. It guarantees that a
 * key signs nothing else, and that no fee is above the network's `maxUnits` at `maxUnitPrice`. Pure.
 */
export function findPolicyViolation(
  { programAddress, accounts = [], data }: Instruction,
  { unitPrice, units, lifetime }: Bounds,
  { program, network, gatekeeper }: { program: Address; network: EnabledSolana['network']; gatekeeper: Address },
): string | undefined {
  if (programAddress !== program) return 'it is a call of another program';
  if (!data || !isOfService(data)) return 'it is not a call that the service makes';
  const signers = accounts.filter(({ role }) => isSignerRole(role));
  if (signers.length === 0 || signers.some(({ address }) => address !== gatekeeper))
    return 'another account must sign it';
  if (!Number.isInteger(units) || units <= 0 || units > network.maxUnits)
    return 'its limit of compute units is invalid or above maxUnits';
  // A missing price compares as false and is refused too.
  const isAllowedPrice = unitPrice >= 0n && unitPrice <= BigInt(network.maxUnitPrice);
  if (!isAllowedPrice) return 'its price is missing or above maxUnitPrice';
  return lifetime?.blockhash ? undefined : 'it has no blockhash, so it never expires';
}

/** Whether the data is exactly one of the instructions in `abi.ts`, with no bytes after it. */
function isOfService(data: ReadonlyUint8Array): boolean {
  const [tag, first = Number.NaN] = data;
  switch (tag) {
    case ISSUE: {
      // A seed and an expiry, each an option: one byte, and 8 more if that byte is 1.
      const second = data[2 + 8 * first] ?? Number.NaN;
      return first <= 1 && second <= 1 && data.length === 3 + 8 * (first + second);
    }
    case SET_STATE:
      return first < TOKEN_STATES.length && data.length === 2;
    default:
      return tag === UPDATE_EXPIRY && data.length === 9;
  }
}
