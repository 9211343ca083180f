import {
  createKeyPairFromBytes,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  type Instruction,
  signTransaction,
} from '@solana/kit';
import type { Secret } from '../../lib/secret.ts';
import type { Call, ChainPort, Signed, Terms } from '../port.ts';
import type { Solana } from './adapter.ts';
import { transactionOf } from './transaction.ts';

/** A call as it goes from the look to the signer. */
export interface SolanaCall {
  readonly instruction: Instruction;
  /** The most compute units it may take. */
  readonly units: number;
}

/** Signs calls of the configured program, and nothing else. */
export function signer({ program, gatekeeper }: Solana, key: Secret<Uint8Array>): ChainPort['sign'] {
  let pair: Promise<CryptoKeyPair> | undefined;
  return async (call: Call, terms: Terms): Promise<Signed> => {
    pair ??= createKeyPairFromBytes(key());
    const { instruction, units } = call as SolanaCall;
    const transaction = transactionOf({ ...instruction, programAddress: program }, gatekeeper, terms, units);
    const signed = await signTransaction([await pair], transaction);
    return {
      identifier: getSignatureFromTransaction(signed),
      bytes: getBase64EncodedWireTransaction(signed),
      lastValidBlockHeight: terms.lifetime?.lastValidBlockHeight,
    };
  };
}
