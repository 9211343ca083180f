import * as v from 'valibot';
import { BLOCKHASH_VALID_BLOCKS, blockAt, commitmentOf, newestBlock } from '../chain/blocks.ts';
import { firstAvailableSlot, type LandedTransaction, type Ledger } from '../chain/ledger.ts';
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
import { encodeTransaction } from './transaction-json.ts';

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
  encoding: v.nullish(v.picklist(['json', 'base64'], 'only json and base64 are known here'), 'json'),
  /** A byte. */
  maxSupportedTransactionVersion: optional(v.pipe(Count, v.maxValue(255))),
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
    // A node that does not know `before` returns nothing. One that does not know `until` returns everything.
    if (before && !ledger.landed.has(before)) return [];
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

  getFirstAvailableBlock({ ledger }, params) {
    parseParameters(params);
    return firstAvailableSlot(ledger);
  },

  getTransaction({ ledger }, params) {
    const [signature, { commitment, encoding, ...form }] = parseParameters(params, Signature, TransactionConfig);
    const landed = ledger.landed.get(signature);
    // An airdrop has no transaction here.
    if (!landed || landed.wire.length === 0 || landed.slot > blockAt(ledger.chain, commitment ?? 'finalized').slot)
      return null;
    return encodeTransaction(landed, {
      encoding: encoding ?? 'json',
      maxSupportedTransactionVersion: form.maxSupportedTransactionVersion,
    });
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
