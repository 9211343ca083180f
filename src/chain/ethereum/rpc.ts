import type { EnabledEthereum } from '../../config/signers.ts';
import type { Hex } from '../../lib/bytes.ts';
import type { EthereumNetwork } from '../../network/network.ts';
import type { NewestBlock } from '../block-age.ts';
import type { Identity, JsonRpc } from '../json-rpc.ts';
import type { RpcCall } from '../json-rpc-batch.ts';
import { RpcFault } from '../port.ts';
import { type RpcAnswer, resultOf } from '../rpc-answer.ts';
import type { SigningKey } from '../signing/signing-key.ts';
import { ETHEREUM_ERRORS, errorKindOf, normalize, revertDataIn } from './node-answers.ts';

/** The used JSON-RPC calls of the Ethereum execution API. */

export type BlockTag = 'latest' | 'safe' | 'finalized' | Hex;

export const hex = (value: number | bigint): Hex => `0x${value.toString(16)}`;

/** Returns the calls that identify the chain and read its newest block. */
export const identityOf = ({ network, chainId }: EthereumNetwork): Identity => ({
  network,
  errors: ETHEREUM_ERRORS,
  normalize,
  call: { method: 'eth_chainId', params: [] },
  isOurChain: (result) => Number(result) === chainId,
  newest: { call: newestBlock, blockOf: (result) => newestOf(blockOf({ result })) },
});

export const blockNumber: RpcCall = { method: 'eth_blockNumber', params: [], needed: true };
export const gasPrice: RpcCall = { method: 'eth_gasPrice', params: [], needed: true };
/** Not every node supports it. */
export const priorityFee: RpcCall = { method: 'eth_maxPriorityFeePerGas', params: [] };

/** Not every node has that block. */
export const block = (at: BlockTag): RpcCall => ({ method: 'eth_getBlockByNumber', params: [at, false] });
export const newestBlock: RpcCall = { ...block('latest'), needed: true };
/** Not every node keeps the state of that block, or has a block of pending transactions. */
export const nonceAt = (account: string, block: Hex | 'latest' | 'pending'): RpcCall => ({
  method: 'eth_getTransactionCount',
  params: [account, block],
});
export const nonce = (account: string): RpcCall => ({ ...nonceAt(account, 'latest'), needed: true });
export const balance = (account: string): RpcCall => ({
  method: 'eth_getBalance',
  params: [account, 'latest'],
  needed: true,
});
export const code = (account: string): RpcCall => ({ method: 'eth_getCode', params: [account, 'latest'] });
export const storageAt = (account: string, slot: Hex): RpcCall => ({
  method: 'eth_getStorageAt',
  params: [account, slot, 'latest'],
});
export const call = (transaction: Readonly<Record<string, string>>, at: BlockTag = 'latest'): RpcCall => ({
  method: 'eth_call',
  params: [transaction, at],
});
export const estimateGas = (transaction: Readonly<Record<string, string>>): RpcCall => ({
  method: 'eth_estimateGas',
  params: [transaction],
});
export const sendRaw = (bytes: string): RpcCall => ({ method: 'eth_sendRawTransaction', params: [bytes] });
export const transaction = (hash: string): RpcCall => ({ method: 'eth_getTransactionByHash', params: [hash] });
export const receipt = (hash: string): RpcCall => ({ method: 'eth_getTransactionReceipt', params: [hash] });

export interface Block {
  readonly number: Hex;
  readonly hash: Hex;
  /** Unix seconds. */
  readonly timestamp: Hex;
  readonly baseFeePerGas?: Hex;
}

export const newestOf = ({ number, timestamp }: Block): NewestBlock => ({
  height: Number(number),
  time: Number(timestamp),
});

/** Returns the number of a read that must succeed. Throws RpcFault if it failed or its result is not a number. */
export function quantityOf(answer: RpcAnswer | undefined): bigint {
  const result = resultOf(answer);
  if (typeof result !== 'string' || !/^0x[0-9a-fA-F]+$/.test(result))
    throw new RpcFault('a read failed: the result is not a number');
  return BigInt(result);
}

/** Returns a count. Throws RpcFault for a number above 2^53, which JavaScript cannot represent exactly. */
export function countOf(answer: RpcAnswer | undefined): number {
  const count = Number(quantityOf(answer));
  if (!Number.isSafeInteger(count)) throw new RpcFault('a read failed: eth_getTransactionCount is too large');
  return count;
}

/** Returns the block of a read that must succeed. Throws RpcFault if there is none. */
export function blockOf(answer: RpcAnswer | undefined): Block {
  const block = resultOf<Block | null>(answer);
  if (block === null) throw new RpcFault('a read failed: eth_getBlockByNumber shows no such block');
  return block;
}

/** Returns undefined if the node lacks the block. Young chains have no final block yet, and some nodes answer with an error. */
export function findBlock(answer: RpcAnswer | undefined): Block | undefined {
  return answer === undefined || 'error' in answer ? undefined : ((answer.result as Block | null) ?? undefined);
}

/** Returns the number of the block in an answer; undefined if the node lacks the block. */
export function numberOf(answer: RpcAnswer | undefined): number | undefined {
  const block = findBlock(answer);
  return block && Number(block.number);
}

/** Returns the number of a final block; undefined if the node shows none. Some nodes show the first block for one that they lack. */
export function finalNumberOf(answer: RpcAnswer | undefined): number | undefined {
  return numberOf(answer) || undefined;
}

/** Returns the data of a revert; undefined if the error is not the result of an execution. */
export function revertData(answer: RpcAnswer): Hex | undefined {
  if (!('error' in answer) || errorKindOf(answer.error) !== 'execution') return undefined;
  return (revertDataIn(answer.error.data) ?? '0x') as Hex;
}

/** Whether the call took more gas than the node allows. A contract that fails in a call of another one hides that. */
export function isOutOfGas(answer: RpcAnswer): boolean {
  return 'error' in answer && errorKindOf(answer.error) === 'out-of-gas';
}

/** The context of the adapter's functions: one network and one gatekeeper key. */
export interface Ethereum {
  readonly rpc: JsonRpc;
  readonly network: EnabledEthereum['network'];
  /** Signs, and pays the fees. */
  readonly gatekeeper: SigningKey & { readonly address: Hex };
  /** Returns the slot, or undefined if the key is not a gatekeeper network. */
  readonly slot: (gatekeeperNetwork: string) => bigint | undefined;
  /** Whether the code of the contract is known to derive the ids of its tokens (`CONTRACT_BUILDS`). */
  readonly derivesTokenIds: (contract: string) => boolean;
}
