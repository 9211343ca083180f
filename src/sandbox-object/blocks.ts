import { hashOf } from '../chain/sandbox/sandbox-chain.ts';
import { bytesToHex, encodeBase58 } from '../lib/bytes.ts';
import { type Milliseconds, SECOND_MS, type UnixSeconds } from '../lib/units.ts';
import { SANDBOX_BLOCK_MS, SANDBOX_FINAL_DEPTH } from '../network/sandbox.ts';

/**
 * The blocks of all networks of a sandbox follow from its time, so that an idle sandbox does nothing. Each network has the same numbers.
 */

/** The number of the block at the beginning of a sandbox. Earlier blocks exist, so that the first answers have a final one. */
export const FIRST_BLOCK = 1_000;

/** Number of blocks below the head whose tokens the ledger still shows. */
export const HISTORY_BLOCKS = 4 * SANDBOX_FINAL_DEPTH;

/** Number of blocks during which a block may include a Solana transaction. */
export const LIFETIME_BLOCKS = 60;

/** @param time The time since the beginning of the sandbox. */
export function blockAt(time: Milliseconds): number {
  return FIRST_BLOCK + Math.floor(time / SANDBOX_BLOCK_MS);
}

/** Returns the time of a block since the beginning of the sandbox. */
export function timeOf(block: number): Milliseconds {
  return (block - FIRST_BLOCK) * SANDBOX_BLOCK_MS;
}

/** Returns the number of blocks that take at least that time. */
export function blocksIn(time: Milliseconds): number {
  return Math.ceil(time / SANDBOX_BLOCK_MS);
}

export const secondsOf = (time: Milliseconds): UnixSeconds => Math.floor(time / SECOND_MS);

/** Returns the hash of a block. A block that replaces another one has another hash: `branch` counts the reorgs. */
export function blockHash(network: string, block: number, branch: number): string {
  return bytesToHex(hashOf(`block ${network} ${block} ${branch}`));
}

export function blockhashOf(network: string, block: number): string {
  return encodeBase58(hashOf(`blockhash ${network} ${block}`));
}
