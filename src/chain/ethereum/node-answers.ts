import { MalformedResult } from '../json-rpc.ts';
import type { RpcCall } from '../json-rpc-batch.ts';
import { COMMON_ERRORS, type ErrorKind, type ErrorTable, errorKindIn, type RpcError } from '../rpc-answer.ts';

/** The errors of nodes of Ethereum-type networks. */
export const ETHEREUM_ERRORS: ErrorTable = [
  { kind: 'execution', isShownBy: (data) => revertDataIn(data) !== undefined },
  COMMON_ERRORS.malformed,
  // Providers limit in many words (EIP-1474: -32005). -32011: a proxy of nodes has none left (proxyd).
  { kind: 'rate-limit', codes: [429, -32005, 15, -32011] },
  // 3: geth. -32015: OpenEthereum and its successors.
  { kind: 'execution', codes: [3, -32015] },
  // A revert may quote any text of the contract.
  {
    kind: 'execution',
    text: /\brevert|invalid opcode|invalid jump|stack (under|over)flow/i,
  },
  { kind: 'out-of-gas', text: /out ?of ?gas|gas required exceeds/i },
  COMMON_ERRORS.batch,
  COMMON_ERRORS.unknownCall,
  // -32004: EIP-1474. -39001: geth lacks the block. 4444: EIP-4444, geth has pruned it.
  { kind: 'lacking', codes: [-32004, -39001, 4444] },
  COMMON_ERRORS.rateLimit,
  // `unknown transaction type` must not match.
  { kind: 'known', text: /already (known|imported|exists|in (the )?(mempool|pool))|\bknown transaction|alreadyknown/i },
  {
    kind: 'no-funds',
    text: /insufficient ?(funds|balance)|doesn't have enough funds|upfront cost exceeds account balance/i,
  },
  { kind: 'rejected', text: /nonce ?too ?(low|high)|underpriced|intrinsic gas|exceeds block gas limit|fee cap/i },
  {
    kind: 'lacking',
    text: /(pending|finalized|safe|unknown) block|(block|header) (is )?not (found|available)|missing trie node/i,
  },
  COMMON_ERRORS.unknownMethod,
];

/** Returns the meaning of a node's error. */
export const errorKindOf = (error: RpcError): ErrorKind => errorKindIn(ETHEREUM_ERRORS, error);

/** Returns the data of a revert from any of the places where clients put it. */
export function revertDataIn(data: unknown): string | undefined {
  const nested = typeof data === 'object' && data !== null && 'data' in data ? data.data : data;
  return typeof nested === 'string' ? /^(?:reverted )?(0x[0-9a-f]*)$/i.exec(nested.trim())?.[1] : undefined;
}

/**
 * Brings the results of Ethereum-type nodes into one form, where their meaning is certain: addresses with the prefix `xdc`
 * (XDC Network), numbers instead of hexadecimal text, hexadecimal digits in upper case, and null for an absent field.
 */

type Fields = Readonly<Record<string, unknown>>;
type Reader = (value: unknown, field: string) => unknown;

const HEX = /^0x[0-9a-f]*$/;
const QUANTITY = /^0x[0-9a-f]+$/;

/** Reads hexadecimal data, a hash or an address. */
const readHex: Reader = (value, field) => {
  const text = typeof value === 'string' ? value.toLowerCase().replace(/^xdc(?=[0-9a-f]{40}$)/, '0x') : '';
  if (!HEX.test(text)) throw new MalformedResult(field);
  return text;
};

const readQuantity: Reader = (value, field) => {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return `0x${value.toString(16)}`;
  const text = readHex(value, field) as string;
  if (!QUANTITY.test(text)) throw new MalformedResult(field);
  return text;
};

const readStatus: Reader = (value, field) => {
  const status = typeof value === 'boolean' ? Number(value) : Number(readQuantity(value, field));
  if (status !== 0 && status !== 1) throw new MalformedResult(field);
  return `0x${status}`;
};

const optional =
  (read: Reader): Reader =>
  (value, field) =>
    value === null || value === undefined ? undefined : read(value, field);

const listOf =
  (read: Reader): Reader =>
  (value, field) => {
    if (!Array.isArray(value)) throw new MalformedResult(field);
    return value.map((each) => read(each, field));
  };

/** Reads these fields of an object, and drops the others and the absent ones. */
const objectWith =
  (readers: Readonly<Record<string, Reader>>): Reader =>
  (value, within) => {
    if (typeof value !== 'object' || value === null) throw new MalformedResult(within);
    const read = Object.entries(readers).map(([name, reader]) => {
      const field = within === RESULT ? name : `${within}.${name}`;
      return [name, reader((value as Fields)[name], field)] as const;
    });
    return Object.fromEntries(read.filter(([, each]) => each !== undefined));
  };

const RESULT = 'result';

/** Returns null for an object that does not exist. */
const orNull =
  (read: Reader): Reader =>
  (value, field) =>
    value === null ? null : read(value, field);

const readBlock = objectWith({
  number: readQuantity,
  hash: readHex,
  timestamp: readQuantity,
  baseFeePerGas: optional(readQuantity),
});

const log = { address: readHex, topics: listOf(readHex), data: readHex };
const readLog = objectWith(log);
/** A log with its place, as a query returns it. */
const readFoundLog = objectWith({
  ...log,
  blockNumber: readQuantity,
  transactionHash: optional(readHex),
  removed: (value) => value,
});

const readIncludedReceipt = objectWith({
  transactionHash: readHex,
  blockNumber: readQuantity,
  blockHash: readHex,
  status: readStatus,
  logs: listOf(readLog),
  gasUsed: optional(readQuantity),
  effectiveGasPrice: optional(readQuantity),
  l1Fee: optional(readQuantity),
});

/** Some clients return receipts of transactions that no block includes yet, with null in some fields. */
const readReceipt: Reader = (value, field) => {
  const { blockNumber, blockHash } = Object(value) as Fields;
  return blockNumber === null || blockHash === null ? null : readIncludedReceipt(value, field);
};

/** A transaction that creates a contract has no `to`. */
const readTransaction = objectWith({ from: optional(readHex), to: optional(readHex) });

/** The methods whose results are read. Others keep their results as they are. */
const READERS: Readonly<Record<string, Reader>> = {
  eth_blockNumber: readQuantity,
  eth_gasPrice: readQuantity,
  eth_maxPriorityFeePerGas: readQuantity,
  eth_getTransactionCount: readQuantity,
  eth_getBalance: readQuantity,
  eth_estimateGas: readQuantity,
  eth_call: readHex,
  eth_getCode: readHex,
  eth_getStorageAt: readHex,
  eth_getLogs: listOf(readFoundLog),
  eth_getBlockByNumber: orNull(readBlock),
  eth_getTransactionByHash: orNull(readTransaction),
  eth_getTransactionReceipt: orNull(readReceipt),
};

/** Returns the result in its usual form. Throws MalformedResult with the name of the field whose meaning is not certain. */
export function normalize({ method }: RpcCall, result: unknown): unknown {
  const read = READERS[method];
  return read === undefined ? result : read(result, RESULT);
}
