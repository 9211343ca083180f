import { base58 } from '@scure/base';
import { getCompiledTransactionMessageDecoder, getTransactionDecoder } from '@solana/kit';
import type { LandedTransaction } from '../chain/ledger.ts';
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
  const { slot, unixTimestamp, error, wire } = landed;
  const transaction = getTransactionDecoder().decode(wire);
  const message = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes);
  if (message.version !== 'legacy' && message.version > (known ?? -1))
    throw new RpcError(
      UNSUPPORTED_VERSION,
      `Transaction version (${message.version}) is not supported by the requesting client. Please try the request again with the following configuration parameter: "maxSupportedTransactionVersion": ${message.version}`,
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
        : { signatures: signaturesIn(wire), message: encodeMessage(message) },
    ...(typeof known === 'number' && { version: message.version }),
  };
}

type Message = ReturnType<ReturnType<typeof getCompiledTransactionMessageDecoder>['decode']>;

function encodeMessage(message: Message) {
  if (!('instructions' in message)) throw new Error(`the ledger holds a transaction of version ${message.version}`);
  const { header, staticAccounts, instructions, version } = message;
  return {
    header: {
      numRequiredSignatures: header.numSignerAccounts,
      numReadonlySignedAccounts: header.numReadonlySignerAccounts,
      numReadonlyUnsignedAccounts: header.numReadonlyNonSignerAccounts,
    },
    accountKeys: staticAccounts,
    recentBlockhash: 'lifetimeToken' in message ? message.lifetimeToken : '',
    instructions: instructions.map(({ programAddressIndex, accountIndices = [], data = new Uint8Array() }) => ({
      programIdIndex: programAddressIndex,
      accounts: accountIndices,
      data: base58.encode(Uint8Array.from(data)),
      stackHeight: 1,
    })),
    ...(version !== 'legacy' && { addressTableLookups: [] }),
  };
}

/** The number of signatures takes one byte below 128. Each has 64 bytes. */
function signaturesIn(wire: Uint8Array): string[] {
  return Array.from({ length: wire[0] ?? 0 }, (_, index) => base58.encode(wire.slice(1 + 64 * index, 65 + 64 * index)));
}
