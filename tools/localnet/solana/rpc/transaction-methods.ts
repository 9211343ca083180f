import { randomBytes } from 'node:crypto';
import { base58, base64 } from '@scure/base';
import * as v from 'valibot';
import { accountAt } from '../chain/accounts.ts';
import { BLOCKHASH_VALID_BLOCKS, newestBlock } from '../chain/blocks.ts';
import { execute, landTransaction } from '../chain/ledger.ts';
import { isVersion1, readTransaction, type SentTransaction, TRANSACTION_MAX_BYTES } from '../chain/sent-transaction.ts';
import type { Execution } from '../runtime/runtime.ts';
import { SYSTEM_PROGRAM } from '../runtime/system-program.ts';
import {
  AnAddress,
  blockFor,
  Count,
  configObject,
  contextReply,
  optional,
  parseParameters,
  ReadFields,
} from './parameters.ts';
import { invalidParamsError, messageFor, PREFLIGHT_FAILURE, RpcError, SIGNATURE_FAILURE } from './rpc-error.ts';
import type { Methods } from './solana-node.ts';

const Encoding = v.nullish(v.picklist(['base58', 'base64']), 'base58');
const SendConfig = configObject({
  encoding: Encoding,
  skipPreflight: optional(v.boolean()),
  preflightCommitment: ReadFields.commitment,
  minContextSlot: ReadFields.minContextSlot,
  maxRetries: optional(Count),
});
const SimulateConfig = configObject({
  ...ReadFields,
  encoding: Encoding,
  sigVerify: optional(v.boolean()),
  replaceRecentBlockhash: optional(v.boolean()),
});

export const transactionMethods: Methods = {
  /** The transaction waits for the next block and is tried once. A client that wants another try sends it again. */
  sendTransaction({ ledger }, params) {
    const [text, options] = parseParameters(params, v.string(), SendConfig);
    const { preflightCommitment: commitment, minContextSlot } = options;
    const sent = decodeTransaction(text, options.encoding ?? 'base58');
    if (!options.skipPreflight) {
      const execution = execute(ledger, sent, blockFor(ledger, { commitment, minContextSlot }));
      demandSignatures(execution);
      if (execution.error !== undefined) {
        const message = `Transaction simulation failed: ${messageFor(execution.error)}`;
        throw new RpcError(PREFLIGHT_FAILURE, message, simulationReply(execution));
      }
    }
    ledger.waiting.set(sent.signature, sent);
    return sent.signature;
  },

  simulateTransaction({ ledger }, params) {
    const [text, options] = parseParameters(params, v.string(), SimulateConfig);
    const { sigVerify, replaceRecentBlockhash } = options;
    if (sigVerify && replaceRecentBlockhash) {
      throw invalidParamsError('sigVerify may not be used with replaceRecentBlockhash');
    }
    const block = blockFor(ledger, options);
    const checks = { signatures: sigVerify ?? false, age: !replaceRecentBlockhash };
    const execution = execute(ledger, decodeTransaction(text, options.encoding ?? 'base58'), block, checks);
    demandSignatures(execution);
    const { blockhash, height } = block;
    const replacementBlockhash = { blockhash, lastValidBlockHeight: height + BLOCKHASH_VALID_BLOCKS };
    return contextReply(block, {
      ...simulationReply(execution),
      ...(replaceRecentBlockhash && { replacementBlockhash }),
    });
  },

  /** Adds the lamports in the newest block at once, without a transaction. */
  requestAirdrop({ ledger }, params) {
    const [address, lamports] = parseParameters(params, AnAddress, Count, configObject(ReadFields));
    const before = accountAt(ledger.accounts, address, newestBlock(ledger.chain).slot);
    const account = before ?? { lamports: 0n, data: new Uint8Array(), owner: SYSTEM_PROGRAM, executable: false };
    const signature = base58.encode(randomBytes(64));
    const after = { ...account, lamports: account.lamports + BigInt(lamports) };
    const airdrop = { error: undefined, addresses: [address], wire: new Uint8Array() };
    landTransaction(ledger, signature, airdrop, new Map([[address, after]]));
    return signature;
  },
};

/** Characters of the largest transaction (Agave: `MAX_BASE58_SIZE`, `MAX_BASE64_SIZE`), and of the largest one of version 1. */
const ENCODED_MAX_CHARACTERS = { others: { base58: 1683, base64: 1644 }, '1': { base58: 5594, base64: 5464 } };

function decodeTransaction(text: string, encoding: 'base58' | 'base64'): SentTransaction {
  const kind = 'solana_transaction::versioned::VersionedTransaction';
  const demandLength = (version: '1' | 'others') => {
    const [most, bytes] = [ENCODED_MAX_CHARACTERS[version][encoding], TRANSACTION_MAX_BYTES[version]];
    if (text.length <= most) return bytes;
    const size = `${text.length} bytes (max: encoded/raw ${most}/${bytes})`;
    throw invalidParamsError(`${encoding} encoded ${kind} too large: ${size}`);
  };
  demandLength('1');
  const wire = decodeBytes(text, encoding);
  const most = demandLength(isVersion1(wire) ? '1' : 'others');
  if (wire.length > most)
    throw invalidParamsError(`decoded ${kind} too large: ${wire.length} bytes (max: ${most} bytes)`);
  try {
    return readTransaction(wire);
  } catch (error) {
    throw invalidParamsError(`failed to deserialize ${kind}: ${(error as Error).message}`);
  }
}

function decodeBytes(text: string, encoding: 'base58' | 'base64'): Uint8Array {
  try {
    return encoding === 'base58' ? base58.decode(text) : base64.decode(text);
  } catch (error) {
    throw invalidParamsError(`invalid ${encoding} encoding: ${(error as Error).message}`);
  }
}

function demandSignatures({ error }: Execution): void {
  if (error !== 'SignatureFailure') return;
  throw new RpcError(SIGNATURE_FAILURE, 'Transaction signature verification failure');
}

function simulationReply({ error, logs, unitsConsumed }: Execution) {
  return { err: error ?? null, logs, unitsConsumed, accounts: null, returnData: null };
}
