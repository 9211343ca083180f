import { encodeBase58 } from '../../lib/base58.ts';
import { bytesToHex } from '../../lib/hex.ts';
import { keccak256 } from '../../lib/keccak.ts';
import type { Chain } from '../../network/network.ts';
import type { Lifetime, Signed } from '../port.ts';

/** The content of a simulated transaction. A real chain has signed bytes in place of its JSON. */
export interface SimulatedTransaction {
  readonly network: string;
  /** The call as `prepare` returned it; empty: it only uses its nonce. */
  readonly call: string;
  readonly nonce?: number | undefined;
  readonly blockhash?: string | undefined;
  readonly lastBlock?: number | undefined;
}

/** Returns the signed transaction. As on the real chains, the same content has the same identifier. */
export function signSimulated(
  chain: Chain,
  network: string,
  call: string,
  nonce: number | undefined,
  lifetime?: Lifetime | undefined,
): Signed {
  const { blockhash, lastValidBlockHeight: lastBlock } = lifetime ?? {};
  const bytes = JSON.stringify({ network, call, nonce, blockhash, lastBlock } satisfies SimulatedTransaction);
  return { identifier: identifierOf(chain, bytes), bytes, maxCost: 0, lastValidBlockHeight: lastBlock };
}

/** Returns a hash of the text in the form of the chain: 32 bytes in hexadecimal digits, or 64 bytes in base58. */
export function identifierOf(chain: Chain, text: string): string {
  const hash = hashOf(text);
  return chain === 'ethereum' ? bytesToHex(hash) : encodeBase58(new Uint8Array([...hash, ...keccak256(hash)]));
}

export const hashOf = (text: string): Uint8Array => keccak256(new TextEncoder().encode(text));
