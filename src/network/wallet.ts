import { bytesToHex, decodeBase58, encodeBase58, type Hex, keccak256 } from '../lib/bytes.ts';
import { withCharacter } from '../lib/characters.ts';
import type { Brand } from '../lib/units.ts';
import type { Chain } from './network.ts';

/** A wallet address in the canonical form of its chain. */
export type Wallet = Brand<string, 'Wallet'>;

/**
 * Returns the canonical form of a wallet address on that chain, or undefined if it is malformed.
 * - Ethereum: returns EIP-55 and accepts any case, but an address in mixed case must have a valid checksum. It refuses the zero
 *   address: ERC-721 forbids it as an owner, so the contract neither mints to it nor reads its tokens.
 * - Solana: base58 of 32 bytes.
 */
export function canonicalWallet(chain: Chain, address: string): Wallet | undefined {
  return chain === 'ethereum' ? parseEthereumWallet(address) : parseSolanaAddress(address);
}

const WALLET_RULES: Readonly<Record<Chain, string>> = {
  ethereum: 'must be 0x and 40 hex digits, not all of them 0. Mixed case needs a valid EIP-55 checksum',
  solana: 'must be base58 of 32 bytes',
};

/**
 * Returns why a text is no wallet of the chain, as the end of a sentence that begins with its field. It names the first character that no
 * wallet of the chain has, because an invisible one looks like a right address.
 */
export function walletFault(chain: Chain, text: string): string {
  if (chain === 'solana') return withCharacter(WALLET_RULES[chain], text, BASE58_CHARACTER);
  return withCharacter(WALLET_RULES[chain], text, /[0-9a-fA-F]/, text.startsWith('0x') ? 2 : 0);
}

export const BASE58_CHARACTER = /[1-9A-HJ-NP-Za-km-z]/;

/** Returns the address of a public key: an uncompressed point of secp256k1 (65 bytes), or the 32 bytes of Ed25519. */
export function addressOfPublicKey(chain: Chain, key: Uint8Array): string {
  return chain === 'ethereum'
    ? checksumAddress(bytesToHex(keccak256(key.subarray(1)).subarray(12)))
    : encodeBase58(key);
}

/** Returns a random address that nobody holds, to simulate calls. */
export function unusedWallet(chain: Chain): Wallet {
  const bytes = crypto.getRandomValues(new Uint8Array(chain === 'ethereum' ? 20 : 32));
  return (chain === 'ethereum' ? checksumAddress(bytesToHex(bytes)) : encodeBase58(bytes)) as Wallet;
}

/** Returns the canonical form of an address of either chain. The two forms do not overlap. */
export function canonicalWalletOfAnyChain(address: string): Wallet | undefined {
  return parseEthereumWallet(address) ?? parseSolanaAddress(address);
}

/** Returns the address if it is base58 of exactly 32 bytes, as Solana addresses and gatekeeper networks are, else undefined. */
export function parseSolanaAddress(address: string): Wallet | undefined {
  // Longer texts are refused without decoding them: base58 decodes in quadratic time.
  if (!/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(address)) return undefined;
  return decodeBase58(address).length === 32 ? (address as Wallet) : undefined;
}

function parseEthereumWallet(address: string): Wallet | undefined {
  if (!/^0x(?!0{40})[0-9a-fA-F]{40}$/.test(address)) return undefined;
  const digits = address.slice(2);
  const checksummed = checksumAddress(address);
  const oneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  return oneCase || address === checksummed ? (checksummed as string as Wallet) : undefined;
}

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
