import type { Address } from '@solana/kit';
import { rentExemptMinimum } from '../runtime/rent.ts';
import type { Account } from '../runtime/runtime.ts';

export const CLOCK = 'SysvarC1ock11111111111111111111111111111111' as Address;
export const RENT = 'SysvarRent111111111111111111111111111111111' as Address;
const SYSVAR_OWNER = 'Sysvar1111111111111111111111111111111111111' as Address;

export const SLOTS_IN_EPOCH = 432_000;

const LAMPORTS_PER_BYTE_YEAR = 3480n;
const EXEMPT_AFTER_YEARS = 2;

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

export function rentAccount(): Account {
  const data = Buffer.alloc(17);
  data.writeBigUInt64LE(LAMPORTS_PER_BYTE_YEAR, 0);
  data.writeDoubleLE(EXEMPT_AFTER_YEARS, 8);
  data.writeUInt8(50, 16); // per cent of the rent that is burnt
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
