import { base58 } from '@scure/base';
import { getTransactionDecoder } from '@solana/kit';
import type { LandedTransaction } from '../chain/ledger.ts';
import { signaturesIn } from '../chain/sent-transaction.ts';
import { type CompiledMessage, readCompiledMessage } from '../runtime/compiled-message.ts';
import { RpcError } from './rpc-error.ts';

/** Agave: `JSON_RPC_SERVER_ERROR_UNSUPPORTED_TRANSACTION_VERSION`. */
const UNSUPPORTED_VERSION = -32015;

interface Form {
  readonly encoding: 'json' | 'base64';
  readonly maxSupportedTransactionVersion: number | null | undefined;
}

/** Returns a transaction as `getTransaction` does. Throws RpcError if the client does not know its version. */
export function encodeTransaction(
  landed: LandedTransaction,
  { encoding, maxSupportedTransactionVersion: known }: Form,
) {
  const { slot, unixTimestamp, error, wire, claimedVersion } = landed;
  const message = readCompiledMessage(getTransactionDecoder().decode(wire).messageBytes);
  const version = claimedVersion ?? message.version;
  if (version !== 'legacy' && version > (known ?? -1))
    throw new RpcError(
      UNSUPPORTED_VERSION,
      `Transaction version (${version}) is not supported by the requesting client. Please try the request again with the following configuration parameter: "maxSupportedTransactionVersion": ${version}`,
    );
  return {
    slot,
    blockTime: unixTimestamp,
    meta: {
      err: error ?? null,
      status: error ? { Err: error } : { Ok: null },
      // A validator that records no inner instructions answers null. This one has no lookup tables.
      innerInstructions: null,
      loadedAddresses: { writable: [], readonly: [] },
    },
    transaction:
      encoding === 'base64'
        ? [Buffer.from(wire).toString('base64'), 'base64']
        : {
            signatures: signaturesIn(wire, message).map((each) => base58.encode(each)),
            message: encodeMessage(message),
          },
    ...(typeof known === 'number' && { version }),
  };
}

function encodeMessage({ header, keys, instructions, blockhash = '', version, config }: CompiledMessage) {
  return {
    header: {
      numRequiredSignatures: header.numSignerAccounts,
      numReadonlySignedAccounts: header.numReadonlySignerAccounts,
      numReadonlyUnsignedAccounts: header.numReadonlyNonSignerAccounts,
    },
    accountKeys: keys,
    recentBlockhash: blockhash,
    instructions: instructions.map(({ programIndex, accounts, data }) => ({
      programIdIndex: programIndex,
      accounts,
      data: base58.encode(data),
      stackHeight: 1,
    })),
    ...(version === 0 && { addressTableLookups: [] }),
    ...(config && {
      transactionConfig: {
        priorityFee: config.priorityFee === undefined ? null : Number(config.priorityFee),
        computeUnitLimit: config.computeUnitLimit ?? null,
        loadedAccountsDataSizeLimit: config.loadedAccountsDataSizeLimit ?? null,
        heapSize: config.heapSize ?? null,
      },
    }),
  };
}
