import type { Hex } from 'viem';
import { concat, numberToHex, size } from 'viem/utils';
import * as rpc from '../../src/chain/ethereum/rpc.ts';
import type { JsonRpc } from '../../src/chain/json-rpc.ts';

/** Chains charge a creation by the byte of code: 200 gas before Glamsterdam, 1,530 gas with it (EIP-8037 as of August 2026). */

/**
 * Maximum gas of a creation for each byte of its transaction, four times the charge of Glamsterdam. A node that estimates more lies, or
 * another fork has multiplied the charge.
 */
const MAX_GAS_PER_BYTE = 4n * 1_530n;

/** Returns the most gas that a creation with that data may take. */
export const maxCreationGas = (data: Hex): bigint => BigInt(size(data)) * MAX_GAS_PER_BYTE;

/** A contract of that many bytes, which every node can simulate. */
const SAMPLE_BYTES = 4_096;
/** Init code that returns zeros as the code of the contract: PUSH2 length, PUSH1 0, RETURN. */
const sampleOf = (bytes: number): Hex => concat(['0x61', numberToHex(bytes, { size: 2 }), '0x6000f3']);

/** Returns the gas that the creation of a contract takes about, in proportion to a small one; undefined if no node estimates that one. */
export async function creationGasOf(send: JsonRpc, initCode: Hex): Promise<bigint | undefined> {
  const [answer] = await send([rpc.estimateGas({ data: sampleOf(SAMPLE_BYTES) })]);
  if (answer === undefined || 'error' in answer) return undefined;
  return (rpc.quantityOf(answer) * BigInt(size(initCode))) / BigInt(SAMPLE_BYTES);
}
