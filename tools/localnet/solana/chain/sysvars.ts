import type { Address } from '@solana/kit';
import { RENT_BURNT_PERCENT, RENT_THRESHOLD, rentExemptMinimum } from '../runtime/rent.ts';
import type { Account } from '../runtime/runtime.ts';

export const CLOCK = 'SysvarC1ock11111111111111111111111111111111' as Address;
export const RENT = 'SysvarRent111111111111111111111111111111111' as Address;
const SYSVAR_OWNER = 'Sysvar1111111111111111111111111111111111111' as Address;

export const SLOTS_IN_EPOCH = 432_000;

/** Returns the account of the Clock sysvar in the block of that slot. */
export function clockAccount({ slot, unixTimestamp }: { slot: number; unixTimestamp: number }): Account {
  const epoch = Math.floor(slot / SLOTS_IN_EPOCH);
  const data = Buffer.alloc(40);
  data.writeBigUInt64LE(BigInt(slot), 0);
  data.writeBigInt64LE(BigInt(unixTimestamp), 8); // start of the epoch, which no caller here reads
  data.writeBigUInt64LE(BigInt(epoch), 16);
  data.writeBigUInt64LE(BigInt(epoch + 1), 24); // for which leaders are known
  data.writeBigInt64LE(BigInt(unixTimestamp), 32);
  return sysvarAccount(data);
}

/** Returns the account of the Rent sysvar. */
export function rentAccount(lamportsPerByte: bigint): Account {
  const data = Buffer.alloc(17);
  data.writeBigUInt64LE(lamportsPerByte, 0);
  data.writeDoubleLE(RENT_THRESHOLD, 8);
  data.writeUInt8(RENT_BURNT_PERCENT, 16);
  return sysvarAccount(data);
}

function sysvarAccount(data: Buffer): Account {
  return {
    lamports: rentExemptMinimum(data.length),
    data: new Uint8Array(data),
    owner: SYSVAR_OWNER,
    executable: false,
  };
}
