import { type Address, type Instruction, isSignerRole, type ReadonlyUint8Array } from '@solana/kit';
import type { EnabledSolana } from '../../config/signers.ts';
import { WANTED_STATES } from '../../pass/vocabulary.ts';
import type { MicroLamports } from '../units.ts';
import { ISSUE, SET_STATE, UPDATE_EXPIRY } from './abi.ts';
import type { Lifetime } from './network-conditions.ts';

/** What a transaction is bound to, beside its call. */
export interface Bounds {
  /** Price per compute unit. */
  readonly unitPrice: MicroLamports;
  /** Limit of its compute units. */
  readonly units: number;
  readonly lifetime: Lifetime;
}

/**
 * Why a transaction must not be signed. Undefined for one call of the configured program, of those that the service makes,
 * which the gatekeeper alone signs. Checked at the point of signing, whatever was checked before: a key signs nothing else,
 * and no fee is above the network's `maxUnits` at `maxUnitPrice`. Pure.
 */
export function findPolicyViolation(
  { programAddress, accounts = [], data }: Instruction,
  { unitPrice, units, lifetime }: Bounds,
  { program, network, gatekeeper }: { program: Address; network: EnabledSolana['network']; gatekeeper: Address },
): string | undefined {
  if (programAddress !== program) return 'it is a call of another program';
  if (!data || !isOfService(data)) return 'it is no call of the service';
  const signers = accounts.filter(({ role }) => isSignerRole(role));
  if (signers.length === 0 || signers.some(({ address }) => address !== gatekeeper))
    return 'somebody else is to sign it';
  if (!Number.isInteger(units) || units <= 0 || units > network.maxUnits) return 'it may use more units than maxUnits';
  // A missing price compares as false, and is refused as well.
  const isAllowedPrice = unitPrice >= 0n && unitPrice <= BigInt(network.maxUnitPrice);
  if (!isAllowedPrice) return 'its price is missing, or above maxUnitPrice';
  return lifetime?.blockhash ? undefined : 'it may enter any block, at any time';
}

/** Whether it is the data of one of the instructions in `abi.ts`: whole, and nothing behind it. */
function isOfService(data: ReadonlyUint8Array): boolean {
  const [tag, first = Number.NaN] = data;
  switch (tag) {
    case ISSUE: {
      // A seed and an expiry: each a byte that says whether 8 more follow.
      const second = data[2 + 8 * first] ?? Number.NaN;
      return first <= 1 && second <= 1 && data.length === 3 + 8 * (first + second);
    }
    case SET_STATE:
      return first < WANTED_STATES.length && data.length === 2;
    default:
      return tag === UPDATE_EXPIRY && data.length === 9;
  }
}
