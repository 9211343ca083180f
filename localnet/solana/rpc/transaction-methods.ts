import { randomBytes } from 'node:crypto';
import { base58, base64 } from '@scure/base';
import * as v from 'valibot';
import { accountAt } from '../chain/accounts.ts';
import { BLOCKHASH_BLOCKS, newest } from '../chain/blocks.ts';
import { execute, land } from '../chain/ledger.ts';
import { LARGEST, type SentTransaction, sentTransaction } from '../chain/sent-transaction.ts';
import type { Execution } from '../runtime/runtime.ts';
import { SYSTEM_PROGRAM } from '../runtime/system-program.ts';
import type { Methods } from './methods.ts';
import { AnAddress, blockFor, Count, config, inContext, maybe, parameters, Reading } from './parameters.ts';
import { invalidParams, PREFLIGHT_FAILURE, RpcError, SIGNATURE_FAILURE, wordsFor } from './rpc-error.ts';

const Encoding = v.nullish(v.picklist(['base58', 'base64']), 'base58');
const SendConfig = config({
  encoding: Encoding,
  skipPreflight: maybe(v.boolean()),
  preflightCommitment: Reading.commitment,
  minContextSlot: Reading.minContextSlot,
  maxRetries: maybe(Count),
});
const SimulateConfig = config({
  ...Reading,
  encoding: Encoding,
  sigVerify: maybe(v.boolean()),
  replaceRecentBlockhash: maybe(v.boolean()),
});

export const transactionMethods: Methods = {
  /** The transaction waits for the next block, and is tried once: who wants it tried again sends it again. */
  sendTransaction({ ledger }, params) {
    const [text, options] = parameters(params, v.string(), SendConfig);
    const { preflightCommitment: commitment, minContextSlot } = options;
    const sent = decoded(text, options.encoding ?? 'base58');
    if (!options.skipPreflight) {
      const execution = execute(ledger, sent, blockFor(ledger, { commitment, minContextSlot }));
      demandSignatures(execution);
      if (execution.error !== undefined) {
        const message = `Transaction simulation failed: ${wordsFor(execution.error)}`;
        throw new RpcError(PREFLIGHT_FAILURE, message, simulated(execution));
      }
    }
    ledger.waiting.set(sent.signature, sent);
    return sent.signature;
  },

  simulateTransaction({ ledger }, params) {
    const [text, options] = parameters(params, v.string(), SimulateConfig);
    const { sigVerify, replaceRecentBlockhash } = options;
    if (sigVerify && replaceRecentBlockhash) {
      throw invalidParams('sigVerify may not be used with replaceRecentBlockhash');
    }
    const block = blockFor(ledger, options);
    const checks = { signatures: sigVerify ?? false, age: !replaceRecentBlockhash };
    const execution = execute(ledger, decoded(text, options.encoding ?? 'base58'), block, checks);
    demandSignatures(execution);
    const { blockhash, height } = block;
    const replacementBlockhash = { blockhash, lastValidBlockHeight: height + BLOCKHASH_BLOCKS };
    return inContext(block, { ...simulated(execution), ...(replaceRecentBlockhash && { replacementBlockhash }) });
  },

  /** The lamports are there at once, in the newest block, as if a transaction had brought them. */
  requestAirdrop({ ledger }, params) {
    const [address, lamports] = parameters(params, AnAddress, Count, config(Reading));
    const before = accountAt(ledger.accounts, address, newest(ledger.chain).slot);
    const account = before ?? { lamports: 0n, data: new Uint8Array(), owner: SYSTEM_PROGRAM, executable: false };
    const signature = base58.encode(randomBytes(64));
    const after = { ...account, lamports: account.lamports + BigInt(lamports) };
    const airdrop = { error: undefined, addresses: [address], wire: new Uint8Array() };
    land(ledger, signature, airdrop, new Map([[address, after]]));
    return signature;
  },
};

/** Characters of a transaction as large as can be (Agave: `MAX_BASE58_SIZE`, `MAX_BASE64_SIZE`). */
const LONGEST = { base58: 1683, base64: 1644 };

function decoded(text: string, encoding: 'base58' | 'base64'): SentTransaction {
  const kind = 'solana_transaction::versioned::VersionedTransaction';
  const most = LONGEST[encoding];
  if (text.length > most) {
    const size = `${text.length} bytes (max: encoded/raw ${most}/${LARGEST})`;
    throw invalidParams(`${encoding} encoded ${kind} too large: ${size}`);
  }
  const wire = bytesOf(text, encoding);
  if (wire.length > LARGEST) {
    throw invalidParams(`decoded ${kind} too large: ${wire.length} bytes (max: ${LARGEST} bytes)`);
  }
  try {
    return sentTransaction(wire);
  } catch (error) {
    throw invalidParams(`failed to deserialize ${kind}: ${(error as Error).message}`);
  }
}

function bytesOf(text: string, encoding: 'base58' | 'base64'): Uint8Array {
  try {
    return encoding === 'base58' ? base58.decode(text) : base64.decode(text);
  } catch (error) {
    throw invalidParams(`invalid ${encoding} encoding: ${(error as Error).message}`);
  }
}

function demandSignatures({ error }: Execution): void {
  if (error !== 'SignatureFailure') return;
  throw new RpcError(SIGNATURE_FAILURE, 'Transaction signature verification failure');
}

function simulated({ error, logs, unitsConsumed }: Execution) {
  return { err: error ?? null, logs, unitsConsumed, accounts: null, returnData: null };
}
