import {
  type Address,
  type CompiledTransactionMessage,
  getCompiledTransactionMessageDecoder,
  type ReadonlyUint8Array,
} from '@solana/kit';

/** A message of any version that kit decodes, in one form. */
export interface CompiledMessage {
  readonly version: CompiledTransactionMessage['version'];
  readonly header: CompiledTransactionMessage['header'];
  readonly keys: readonly Address[];
  /** Undefined: the message names none. */
  readonly blockhash: string | undefined;
  readonly instructions: readonly CompiledInstruction[];
  /** Number of lookup tables. */
  readonly lookups: number;
  /** The budget that version 1 names in place of instructions (SIMD-0385); undefined: another version. */
  readonly config: TransactionConfig | undefined;
}

export interface CompiledInstruction {
  /** Indexes into the keys. */
  readonly programIndex: number;
  readonly accounts: readonly number[];
  readonly data: Uint8Array;
}

/** Undefined: the message does not name the value. */
export interface TransactionConfig {
  /** Lamports, for the whole transaction. */
  readonly priorityFee: bigint | undefined;
  readonly computeUnitLimit: number | undefined;
  readonly loadedAccountsDataSizeLimit: number | undefined;
  readonly heapSize: number | undefined;
}

/** The bits of the values in the mask of version 1, in the order of the values. The fee has two. */
const CONFIG_BITS = [
  ['priorityFee', 0b11],
  ['computeUnitLimit', 0b100],
  ['loadedAccountsDataSizeLimit', 0b1000],
  ['heapSize', 0b10000],
] as const;

/** Messages by their bytes: decoding one takes longer than running it, and the node does both several times. */
const read = new WeakMap<ReadonlyUint8Array, CompiledMessage>();

/** Throws for invalid bytes. */
export function readCompiledMessage(bytes: ReadonlyUint8Array): CompiledMessage {
  const known = read.get(bytes) ?? decodeMessage(bytes);
  read.set(bytes, known);
  return known;
}

function decodeMessage(bytes: ReadonlyUint8Array): CompiledMessage {
  const message = getCompiledTransactionMessageDecoder().decode(bytes);
  const { version, header, staticAccounts: keys } = message;
  const common = { version, header, keys, blockhash: 'lifetimeToken' in message ? message.lifetimeToken : undefined };
  if (message.version === 1) {
    const instructions = message.instructionHeaders.map(({ programAccountIndex }, index) => {
      const { instructionAccountIndices = [], instructionData = [] } = message.instructionPayloads[index] ?? {};
      const data = new Uint8Array(instructionData);
      return { programIndex: programAccountIndex, accounts: instructionAccountIndices, data };
    });
    return { ...common, instructions, lookups: 0, config: configOf(message.configMask, message.configValues) };
  }
  const instructions = message.instructions.map(({ programAddressIndex, accountIndices = [], data }) => ({
    programIndex: programAddressIndex,
    accounts: accountIndices,
    data: new Uint8Array(data ?? []),
  }));
  const lookups = message.version === 0 ? (message.addressTableLookups ?? []).length : 0;
  return { ...common, instructions, lookups, config: undefined };
}

function configOf(mask: number, values: readonly { readonly value: number | bigint }[]): TransactionConfig {
  const left = [...values];
  const entries = CONFIG_BITS.map(([name, bits]) => [name, (mask & bits) === 0 ? undefined : left.shift()?.value]);
  return Object.fromEntries(entries) as unknown as TransactionConfig;
}
