import type { Hex } from '../lib/hex.ts';
import { keccak256 } from '../lib/keccak.ts';

/** Whether the text is an address of an Ethereum-type network, in any case and without regard to its checksum. */
export const isEthereumAddress = (text: string): text is Hex => /^0x[0-9a-fA-F]{40}$/.test(text);

/** The hash takes longer than the rest of reading an address, and most addresses occur again soon. */
const known = new Map<string, Hex>();
const KNOWN_MAX = 8_192;

/** Returns the address with its checksum (EIP-55), whatever its case. Throws if the text is no address. */
export function checksumAddress(address: string): Hex {
  if (!isEthereumAddress(address)) throw new Error('the text is no address');
  const digits = address.slice(2).toLowerCase();
  const found = known.get(digits);
  if (found !== undefined) return found;
  const hash = keccak256(new TextEncoder().encode(digits));
  const nibble = (at: number) => ((hash[at >> 1] ?? 0) >> (at % 2 === 0 ? 4 : 0)) & 15;
  const cased = [...digits].map((digit, at) => (nibble(at) > 7 ? digit.toUpperCase() : digit));
  const checksummed: Hex = `0x${cased.join('')}`;
  if (known.size >= KNOWN_MAX) known.clear();
  known.set(digits, checksummed);
  return checksummed;
}
