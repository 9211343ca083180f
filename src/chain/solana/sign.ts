import {
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  type Instruction,
  signTransaction,
} from '@solana/kit';
import { type Signed, SigningRefused } from '../port.ts';
import type { Solana } from './context.ts';
import type { NetworkConditions } from './network-conditions.ts';
import { findPolicyViolation } from './signing-policy.ts';
import { transactionOf } from './transaction.ts';

/** A call of the configured program. */
export interface ProgramCall {
  readonly instruction: Instruction;
  /** Limit of compute units. */
  readonly units: number;
}

/** Signs a call of the configured program. Throws SigningRefused if the signing policy does not allow it. */
export async function signCall(
  chain: Omit<Solana, 'rpc' | 'send'>,
  { instruction, units }: ProgramCall,
  { unitPrice, lifetime }: Pick<NetworkConditions, 'unitPrice' | 'lifetime'>,
): Promise<Signed> {
  const violation = findPolicyViolation(instruction, { unitPrice, lifetime, units }, chain);
  if (violation !== undefined) throw new SigningRefused(violation);
  const transaction = transactionOf(instruction, chain.gatekeeper, { unitPrice, lifetime }, units);
  const signed = await signTransaction([await chain.keyPair()], transaction);
  return {
    identifier: getSignatureFromTransaction(signed),
    bytes: getBase64EncodedWireTransaction(signed),
    lastValidBlockHeight: Number(lifetime.lastValidBlockHeight),
  };
}
