import * as v from 'valibot';
import { BLOCKHASH_BLOCKS, isFresh } from '../chain/blocks.ts';
import { SLOTS_IN_EPOCH } from '../chain/sysvars.ts';
import type { Methods } from './methods.ts';
import { AnAddress, API_VERSION, blockFor, config, inContext, parameters, Reading } from './parameters.ts';
import { invalidParams } from './rpc-error.ts';

/** What tells devnet from every other cluster. */
const DEVNET_GENESIS = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG';
/** Blocks and accounts of `getRecentPrioritizationFees` (Agave: `MAX_ITEMS`, `MAX_TX_ACCOUNT_LOCKS`). */
const FEES_OF_BLOCKS = 150;
const MOST_LOCKED = 128;

const ReadConfig = config(Reading);

export const blockMethods: Methods = {
  getLatestBlockhash({ ledger }, params) {
    const [reading] = parameters(params, ReadConfig);
    const block = blockFor(ledger, reading);
    const { blockhash, height } = block;
    return inContext(block, { blockhash, lastValidBlockHeight: height + BLOCKHASH_BLOCKS });
  },

  isBlockhashValid({ ledger }, params) {
    const [blockhash, reading] = parameters(params, v.string(), ReadConfig);
    const block = blockFor(ledger, reading);
    return inContext(block, isFresh(ledger.chain, blockhash, block));
  },

  getBlockHeight({ ledger }, params) {
    const [reading] = parameters(params, ReadConfig);
    return blockFor(ledger, reading).height;
  },

  getSlot({ ledger }, params) {
    const [reading] = parameters(params, ReadConfig);
    return blockFor(ledger, reading).slot;
  },

  getEpochInfo({ ledger }, params) {
    const [reading] = parameters(params, ReadConfig);
    const { slot, height } = blockFor(ledger, reading);
    return {
      absoluteSlot: slot,
      blockHeight: height,
      epoch: Math.floor(slot / SLOTS_IN_EPOCH),
      slotIndex: slot % SLOTS_IN_EPOCH,
      slotsInEpoch: SLOTS_IN_EPOCH,
      transactionCount: ledger.landed.size,
    };
  },

  /** The lowest price paid in each of the last blocks, whichever accounts are named: 0 where nobody paid. */
  getRecentPrioritizationFees({ ledger }, params) {
    const [addresses] = parameters(params, v.nullish(v.array(AnAddress), []));
    if (addresses.length > MOST_LOCKED) throw invalidParams(`Too many inputs provided; max ${MOST_LOCKED}`);
    return ledger.chain.blocks
      .slice(-FEES_OF_BLOCKS)
      .map(({ slot, prices }) => ({ slot, prioritizationFee: prices.length === 0 ? 0 : Math.min(...prices) }));
  },

  getGenesisHash: () => DEVNET_GENESIS,
  getHealth: () => 'ok',
  getVersion: () => ({ 'solana-core': API_VERSION, 'feature-set': 3_604_001_754 }),
};
