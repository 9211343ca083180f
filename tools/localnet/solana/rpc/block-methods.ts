import * as v from 'valibot';
import { BLOCKHASH_VALID_BLOCKS, isBlockhashFresh } from '../chain/blocks.ts';
import { SLOTS_IN_EPOCH } from '../chain/sysvars.ts';
import {
  AnAddress,
  API_VERSION,
  blockFor,
  configObject,
  contextReply,
  parseParameters,
  ReadFields,
} from './parameters.ts';
import { invalidParamsError } from './rpc-error.ts';
import type { Methods } from './solana-node.ts';

/** Blocks and accounts of `getRecentPrioritizationFees` (Agave: `MAX_ITEMS`, `MAX_TX_ACCOUNT_LOCKS`). */
const FEE_HISTORY_BLOCKS = 150;
const LOCKED_ACCOUNTS_MAX_COUNT = 128;

const ReadConfig = configObject(ReadFields);

export const blockMethods: Methods = {
  getLatestBlockhash({ ledger }, params) {
    const [reading] = parseParameters(params, ReadConfig);
    const block = blockFor(ledger, reading);
    const { blockhash, height } = block;
    return contextReply(block, { blockhash, lastValidBlockHeight: height + BLOCKHASH_VALID_BLOCKS });
  },

  isBlockhashValid({ ledger }, params) {
    const [blockhash, reading] = parseParameters(params, v.string(), ReadConfig);
    const block = blockFor(ledger, reading);
    return contextReply(block, isBlockhashFresh(ledger.chain, blockhash, block));
  },

  getBlockHeight({ ledger }, params) {
    const [reading] = parseParameters(params, ReadConfig);
    return blockFor(ledger, reading).height;
  },

  getSlot({ ledger }, params) {
    const [reading] = parseParameters(params, ReadConfig);
    return blockFor(ledger, reading).slot;
  },

  getEpochInfo({ ledger }, params) {
    const [reading] = parseParameters(params, ReadConfig);
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

  /** Returns the lowest price in each of the last blocks, for any named accounts; 0 if nobody paid. */
  getRecentPrioritizationFees({ ledger }, params) {
    const [addresses] = parseParameters(params, v.nullish(v.array(AnAddress), []));
    if (addresses.length > LOCKED_ACCOUNTS_MAX_COUNT)
      throw invalidParamsError(`Too many inputs provided; max ${LOCKED_ACCOUNTS_MAX_COUNT}`);
    return ledger.chain.blocks
      .slice(-FEE_HISTORY_BLOCKS)
      .map(({ slot, prices }) => ({ slot, prioritizationFee: prices.length === 0 ? 0 : Math.min(...prices) }));
  },

  getGenesisHash: ({ genesisHash }) => genesisHash,
  getHealth: () => 'ok',
  getVersion: () => ({ 'solana-core': API_VERSION, 'feature-set': 3_604_001_754 }),
};
