import {
  type Address,
  appendTransactionMessageInstruction,
  type Blockhash,
  compileTransaction,
  createTransactionMessage,
  type Instruction,
  pipe,
  setTransactionMessageComputeUnitLimit,
  setTransactionMessageComputeUnitPrice,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import type { Terms } from '../port.ts';

/** A transaction of one instruction, not signed yet. `units` bounds its compute units. */
export function transactionOf(instruction: Instruction, payer: Address, { fees, lifetime }: Terms, units: number) {
  if (lifetime === undefined) throw new Error('a Solana transaction needs a blockhash');
  const price = BigInt(fees.unitPrice ?? 0);
  const blockhash = {
    blockhash: lifetime.blockhash as Blockhash,
    lastValidBlockHeight: BigInt(lifetime.lastValidBlockHeight),
  };
  return compileTransaction(
    pipe(
      createTransactionMessage({ version: 0 }),
      (message) => setTransactionMessageFeePayer(payer, message),
      (message) => setTransactionMessageLifetimeUsingBlockhash(blockhash, message),
      (message) => setTransactionMessageComputeUnitLimit(units, message),
      (message) => setTransactionMessageComputeUnitPrice(price === 0n ? undefined : price, message),
      (message) => appendTransactionMessageInstruction(instruction, message),
    ),
  );
}
