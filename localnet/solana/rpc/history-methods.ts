import * as v from 'valibot';
import { BLOCKHASH_BLOCKS, blockAt, commitmentOf, newest } from '../chain/blocks.ts';
import type { Landed, Ledger } from '../chain/ledger.ts';
import type { Methods } from './methods.ts';
import { AnAddress, Count, config, inContext, maybe, parameters, Reading, Signature } from './parameters.ts';
import { invalidParams } from './rpc-error.ts';

const MOST_STATUSES = 256;
const MOST_SIGNATURES = 1000;

/** What is not sure yet is not history. */
const AtLeastConfirmed = v.nullish(
  v.picklist(['confirmed', 'finalized'], 'Method does not support commitment below `confirmed`'),
  'finalized',
);
const History = { commitment: AtLeastConfirmed, minContextSlot: Reading.minContextSlot };
const SignaturesConfig = config({
  ...History,
  limit: v.nullish(v.pipe(Count, v.minValue(1), v.maxValue(MOST_SIGNATURES)), MOST_SIGNATURES),
  before: maybe(Signature),
  until: maybe(Signature),
});
const TransactionConfig = config({
  ...History,
  encoding: v.nullish(v.picklist(['base64'], 'only base64 is known here'), 'base64'),
  maxSupportedTransactionVersion: maybe(Count),
});

export const historyMethods: Methods = {
  /** Without `searchTransactionHistory`, only what is as young as a blockhash that is good. */
  getSignatureStatuses({ ledger }, params) {
    const [signatures, { searchTransactionHistory }] = parameters(
      params,
      v.array(Signature),
      config({ searchTransactionHistory: maybe(v.boolean()) }),
    );
    if (signatures.length > MOST_STATUSES) throw invalidParams(`Too many inputs provided; max ${MOST_STATUSES}`);
    const block = newest(ledger.chain);
    const oldest = searchTransactionHistory ? 0 : block.slot - BLOCKHASH_BLOCKS;
    const statuses = signatures.map((signature) => {
      const landed = ledger.landed.get(signature);
      return landed && landed.slot >= oldest ? statusOf(ledger, landed) : null;
    });
    return inContext(block, statuses);
  },

  getSignaturesForAddress({ ledger }, params) {
    const [address, { commitment, limit, before, until }] = parameters(params, AnAddress, SignaturesConfig);
    const { slot: sure } = blockAt(ledger.chain, commitment ?? 'finalized');
    const newestFirst = [...ledger.landed].reverse();
    const start = before ? newestFirst.findIndex(([signature]) => signature === before) + 1 : 0;
    const end = until ? newestFirst.findIndex(([signature]) => signature === until) : -1;
    return newestFirst
      .slice(start, end < 0 ? undefined : end)
      .filter(([, { addresses, slot }]) => slot <= sure && addresses.includes(address))
      .slice(0, limit ?? MOST_SIGNATURES)
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
    const [signature, { commitment }] = parameters(params, Signature, TransactionConfig);
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

function statusOf({ chain }: Ledger, { slot, error }: Landed) {
  const confirmationStatus = commitmentOf(chain, slot);
  return {
    slot,
    err: error ?? null,
    status: error ? { Err: error } : { Ok: null },
    confirmations: confirmationStatus === 'finalized' ? null : chain.blocks.filter((each) => each.slot > slot).length,
    confirmationStatus,
  };
}
