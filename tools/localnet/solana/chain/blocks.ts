import { randomBytes } from 'node:crypto';
import { base58 } from '@scure/base';
import type { Address } from '@solana/kit';

/** The commitments of a block. */
export type Commitment = 'processed' | 'confirmed' | 'finalized';

export interface Block {
  readonly slot: number;
  /** Number of earlier blocks; slots without a block do not count. */
  readonly height: number;
  readonly blockhash: string;
  /** Seconds. */
  readonly unixTimestamp: number;
  /** Changed accounts. */
  readonly changed: Set<Address>;
  /** Its transactions. */
  readonly signatures: string[];
  /** Their prices, in micro-lamports per compute unit. */
  readonly prices: number[];
}

export interface Chain {
  /** The newest blocks, oldest first; never empty. */
  readonly blocks: Block[];
  /** The newest final block. */
  root: Block;
  /** The slot of the newest block on any fork. A slot has at most one block. */
  lastSlot: number;
  /** How many blocks must follow a block until it has that commitment. */
  readonly depths: Readonly<Record<Commitment, number>>;
}

/** For how many blocks after its own a blockhash is valid (Agave: `MAX_PROCESSING_AGE`). */
export const BLOCKHASH_VALID_BLOCKS = 150;
/** Enough blocks for every call: those with a valid blockhash, and those that are not final. */
const HISTORY_MAX_BLOCKS = 512;

/** Returns a chain whose first block is final. */
export function createChain(depths: Chain['depths'], at: { readonly slot: number; readonly height: number }): Chain {
  const first = emptyBlock(at.slot, at.height);
  return { blocks: [first], root: first, lastSlot: first.slot, depths };
}

/** Leaders sometimes miss their slots. Code that confuses slots with heights fails here. */
const SKIP_INTERVAL_SLOTS = 16;

/** Adds an empty block that many slots and blocks after the newest one. The blocks in between count as made and deleted. */
export function addBlock(chain: Chain, ahead = 1): Block {
  const height = newestBlock(chain).height + ahead;
  const skipped = height % SKIP_INTERVAL_SLOTS === 0 ? 1 : 0;
  const block = emptyBlock(chain.lastSlot + ahead + skipped, height);
  chain.blocks.push(block);
  chain.blocks.splice(0, chain.blocks.length - HISTORY_MAX_BLOCKS);
  chain.lastSlot = block.slot;
  const final = chain.blocks.at(-1 - chain.depths.finalized);
  if (final && final.slot > chain.root.slot) chain.root = final;
  return block;
}

function emptyBlock(slot: number, height: number): Block {
  const blockhash = base58.encode(randomBytes(32));
  const unixTimestamp = Math.floor(Date.now() / 1000);
  return { slot, height, blockhash, unixTimestamp, changed: new Set(), signatures: [], prices: [] };
}

/** Simulates a fork: removes the newest blocks that are not final, and returns them. */
export function dropNewest(chain: Chain, count: number): Block[] {
  const loose = chain.blocks.filter(({ slot }) => slot > chain.root.slot).length;
  const dropped = Math.min(count, loose);
  return dropped === 0 ? [] : chain.blocks.splice(-dropped);
}

export function newestBlock(chain: Chain): Block {
  return chain.blocks.at(-1) as Block;
}

/** Returns the newest block with at least that commitment. */
export function blockAt(chain: Chain, commitment: Commitment): Block {
  const block = chain.blocks.at(-1 - chain.depths[commitment]);
  return block && block.slot > chain.root.slot ? block : chain.root;
}

/** Returns the commitment of the block in that slot. */
export function commitmentOf(chain: Chain, slot: number): Commitment {
  if (slot <= chain.root.slot) return 'finalized';
  return slot <= blockAt(chain, 'confirmed').slot ? 'confirmed' : 'processed';
}

/** Whether a transaction with that blockhash may run in a block, or after it: the blockhash is known there and not too old. */
export function isBlockhashFresh(chain: Chain, blockhash: string, { slot, height }: Block): boolean {
  const origin = chain.blocks.find((block) => block.blockhash === blockhash);
  return origin !== undefined && origin.slot <= slot && height - origin.height <= BLOCKHASH_VALID_BLOCKS;
}
