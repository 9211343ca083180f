import * as v from 'valibot';
import { BLOCKHASH_VALID_BLOCKS, blockAt, commitmentOf, newestBlock } from '../chain/blocks.ts';
import type { LandedTransaction, Ledger } from '../chain/ledger.ts';
import {
  AnAddress,
  Count,
  configObject,
  contextReply,
  optional,
  parseParameters,
  ReadFields,
  Signature,
} from './parameters.ts';
import { invalidParamsError } from './rpc-error.ts';
import type { Methods } from './solana-node.ts';

const STATUSES_MAX_COUNT = 256;
const SIGNATURES_MAX_COUNT = 1000;

/** Only confirmed blocks are history. */
const AtLeastConfirmed = v.nullish(
  v.picklist(['confirmed', 'finalized'], 'Method does not support commitment below `confirmed`'),
  'finalized',
);
const History = { commitment: AtLeastConfirmed, minContextSlot: ReadFields.minContextSlot };
const SignaturesConfig = configObject({
  ...History,
  limit: v.nullish(v.pipe(Count, v.minValue(1), v.maxValue(SIGNATURES_MAX_COUNT)), SIGNATURES_MAX_COUNT),
  before: optional(Signature),
  until: optional(Signature),
});
const TransactionConfig = configObject({
  ...History,
  encoding: v.nullish(v.picklist(['base64'], 'only base64 is known here'), 'base64'),
  maxSupportedTransactionVersion: optional(Count),
});

export const historyMethods: Methods = {
  /** Without `searchTransactionHistory`, only transactions that are no older than a valid blockhash. */
  getSignatureStatuses({ ledger }, params) {
    const [signatures, { searchTransactionHistory }] = parseParameters(
      params,
      v.array(Signature),
      configObject({ searchTransactionHistory: optional(v.boolean()) }),
    );
    if (signatures.length > STATUSES_MAX_COUNT)
      throw invalidParamsError(`Too many inputs provided; max ${STATUSES_MAX_COUNT}`);
    const block = newestBlock(ledger.chain);
    const oldest = searchTransactionHistory ? 0 : block.slot - BLOCKHASH_VALID_BLOCKS;
    const statuses = signatures.map((signature) => {
      const landed = ledger.landed.get(signature);
      return landed && landed.slot >= oldest ? statusOf(ledger, landed) : null;
    });
    return contextReply(block, statuses);
  },

  getSignaturesForAddress({ ledger }, params) {
    const [address, { commitment, limit, before, until }] = parseParameters(params, AnAddress, SignaturesConfig);
    const { slot: sure } = blockAt(ledger.chain, commitment ?? 'finalized');
    const newestFirst = [...ledger.landed].reverse();
    const start = before ? newestFirst.findIndex(([signature]) => signature === before) + 1 : 0;
    const end = until ? newestFirst.findIndex(([signature]) => signature === until) : -1;
    return newestFirst
      .slice(start, end < 0 ? undefined : end)
      .filter(([, { addresses, slot }]) => slot <= sure && addresses.includes(address))
      .slice(0, limit ?? SIGNATURES_MAX_COUNT)
      .map(([signature, { slot, error, unixTimestamp }]) => ({
        signature,
        slot,
        err: error ?? null,
        memo: null,
        blockTime: unixTimestamp,
        confirmationStatus: commitmentOf(ledger.chain, slot),
      }));
  },

  getTransaction({ ledger }, params) {
    const [signature, { commitment }] = parseParameters(params, Signature, TransactionConfig);
    const landed = ledger.landed.get(signature);
    if (!landed || landed.slot > blockAt(ledger.chain, commitment ?? 'finalized').slot) return null;
    return {
      slot: landed.slot,
      blockTime: landed.unixTimestamp,
      meta: { err: landed.error ?? null, status: landed.error ? { Err: landed.error } : { Ok: null } },
      transaction: [Buffer.from(landed.wire).toString('base64'), 'base64'],
    };
  },
};

function statusOf({ chain }: Ledger, { slot, error }: LandedTransaction) {
  const confirmationStatus = commitmentOf(chain, slot);
  return {
    slot,
    err: error ?? null,
    status: error ? { Err: error } : { Ok: null },
    confirmations: confirmationStatus === 'finalized' ? null : chain.blocks.filter((each) => each.slot > slot).length,
    confirmationStatus,
  };
}
