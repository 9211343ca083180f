import { keccak_256 } from '@noble/hashes/sha3';
import { base58, hex } from '@scure/base';
import { wrongCharacter } from '../pasted-text.ts';

/** The chains of the interface. */
export type ChainType = 'ethereum' | 'solana';

/**
 * Returns the canonical form of a wallet address, or undefined if it is malformed. The service has the same rules: an Ethereum
 * address in mixed case needs its EIP-55 checksum and is not zero, and a Solana address is base58 of 32 bytes.
 */
export function canonicalWallet(chain: ChainType, text: string): string | undefined {
  return chain === 'ethereum' ? ethereumWallet(text) : solanaWallet(text);
}

function solanaWallet(text: string): string | undefined {
  if (!/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text)) return undefined;
  return base58.decode(text).length === 32 ? text : undefined;
}

function ethereumWallet(text: string): string | undefined {
  if (!/^0x(?!0{40})[0-9a-fA-F]{40}$/.test(text)) return undefined;
  const digits = text.slice(2);
  const checksummed = withChecksum(digits.toLowerCase());
  const isOneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  return isOneCase || text === checksummed ? checksummed : undefined;
}

/** Returns a sentence about the first character that no wallet of the chain has; undefined if there is none, or the chain is another one. */
export function wrongCharacterOf(chain: ChainType, text: string): string | undefined {
  if (chain === 'solana') return text.startsWith('0x') ? undefined : wrongCharacter(text, /[1-9A-HJ-NP-Za-km-z]/);
  return wrongCharacter(text, /[0-9a-fA-F]/, text.startsWith('0x') ? 2 : 0);
}

/** Returns an Ethereum address with its right checksum, if only its checksum is wrong; otherwise undefined. */
export function correctChecksum(text: string): string | undefined {
  const correct = canonicalWallet('ethereum', `${text.slice(0, 2)}${text.slice(2).toLowerCase()}`);
  return canonicalWallet('ethereum', text) === undefined ? correct : undefined;
}

/** EIP-55: a letter is upper case if the hash of the digits has 8 or more at its place. */
function withChecksum(digits: string): string {
  const hash = hex.encode(keccak_256(digits));
  const cased = [...digits].map((digit, index) =>
    Number.parseInt(hash[index] ?? '', 16) >= 8 ? digit.toUpperCase() : digit,
  );
  return `0x${cased.join('')}`;
}
