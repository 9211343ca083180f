import { randomBytes } from 'node:crypto';
import { base58 } from '@scure/base';
import type { Address } from '@solana/kit';

/** How sure it is that what a block holds stays. */
export type Commitment = 'processed' | 'confirmed' | 'finalized';

export interface Block {
  readonly slot: number;
  /** How many blocks came before it; slots without a block do not count. */
  readonly height: number;
  readonly blockhash: string;
  /** Seconds. */
  readonly unixTimestamp: number;
  /** Accounts that it changed. */
  readonly changed: Set<Address>;
  /** The transactions in it. */
  readonly signatures: string[];
  /** What they paid, in micro-lamports per compute unit. */
  readonly prices: number[];
}

export interface Chain {
  /** The last ones, oldest first; never empty. */
  readonly blocks: Block[];
  /** The newest of them that stays for ever. */
  root: Block;
  /** Of the newest block on any fork: a slot has one block at most. */
  lastSlot: number;
  /** How many blocks have to follow one until it is seen at that commitment. */
  readonly depths: Readonly<Record<Commitment, number>>;
}

/** For how many blocks a blockhash is good after its own (Agave: `MAX_PROCESSING_AGE`). */
export const BLOCKHASH_VALID_BLOCKS = 150;
/** More than are ever asked for: those whose blockhash is good, and those that are not final. */
const HISTORY_MAX_BLOCKS = 512;

/** A chain whose first block is final. */
export function createChain(depths: Chain['depths'], at: { readonly slot: number; readonly height: number }): Chain {
  const first = emptyBlock(at.slot, at.height);
  return { blocks: [first], root: first, lastSlot: first.slot, depths };
}

/** Leaders miss their slots now and then: who takes slots for heights is found out. */
const SKIP_INTERVAL_SLOTS = 16;

/** Adds an empty block, that many slots and blocks ahead of the newest: those between have been, and are forgotten. */
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

/** A fork: takes the newest blocks away, as far as they are not final. They are returned. */
export function dropNewest(chain: Chain, count: number): Block[] {
  const loose = chain.blocks.filter(({ slot }) => slot > chain.root.slot).length;
  const dropped = Math.min(count, loose);
  return dropped === 0 ? [] : chain.blocks.splice(-dropped);
}

export function newestBlock(chain: Chain): Block {
  return chain.blocks.at(-1) as Block;
}

/** The newest block that is at least that sure. */
export function blockAt(chain: Chain, commitment: Commitment): Block {
  const block = chain.blocks.at(-1 - chain.depths[commitment]);
  return block && block.slot > chain.root.slot ? block : chain.root;
}

/** How sure it is that the block in that slot stays. */
export function commitmentOf(chain: Chain, slot: number): Commitment {
  if (slot <= chain.root.slot) return 'finalized';
  return slot <= blockAt(chain, 'confirmed').slot ? 'confirmed' : 'processed';
}

/** Whether a transaction with that blockhash may run in a block, or on top of one: it is known there, and not too old. */
export function isBlockhashFresh(chain: Chain, blockhash: string, { slot, height }: Block): boolean {
  const origin = chain.blocks.find((block) => block.blockhash === blockhash);
  return origin !== undefined && origin.slot <= slot && height - origin.height <= BLOCKHASH_VALID_BLOCKS;
}
