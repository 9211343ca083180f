import {
  createKeyPairFromBytes,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  type Instruction,
  signTransaction,
} from '@solana/kit';
import type { Secret } from '../../lib/secret.ts';
import { type Call, type ChainPort, type Signed, SigningRefused, type Terms } from '../port.ts';
import type { Solana } from './adapter.ts';
import { findPolicyViolation } from './signing-policy.ts';
import { transactionOf } from './transaction.ts';

/** A call as it goes from the look to the signer. */
export interface SolanaCall {
  readonly instruction: Instruction;
  /** The most compute units it may take. */
  readonly units: number;
}

/** Signs calls of the configured program, and nothing else. */
export function signer(chain: Omit<Solana, 'rpc' | 'send'>, key: Secret<Uint8Array>): ChainPort['sign'] {
  let pair: ReturnType<typeof createKeyPairFromBytes> | undefined;
  return async (call: Call, terms: Terms): Promise<Signed> => {
    const { instruction, units } = call as SolanaCall;
    const forbidden = findPolicyViolation(instruction, { terms, units }, chain);
    if (forbidden !== undefined) throw new SigningRefused(forbidden);
    pair ??= createKeyPairFromBytes(key());
    const transaction = transactionOf(instruction, chain.gatekeeper, terms, units);
    const signed = await signTransaction([await pair], transaction);
    return {
      identifier: getSignatureFromTransaction(signed),
      bytes: getBase64EncodedWireTransaction(signed),
      lastValidBlockHeight: terms.lifetime?.lastValidBlockHeight,
    };
  };
}
