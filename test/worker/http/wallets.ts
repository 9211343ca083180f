import { getAddress } from 'viem/utils';
import type { Wallet } from '../../../src/network/wallet.ts';

/** Returns an unused wallet in EIP-55 form, with letters in both cases. */
export function aWallet(): Wallet {
  for (;;) {
    const wallet = getAddress(`0x${hex(crypto.getRandomValues(new Uint8Array(20)))}`);
    const digits = wallet.slice(2);
    if (digits !== digits.toLowerCase() && digits !== digits.toUpperCase()) return wallet as string as Wallet;
  }
}

const hex = (bytes: Uint8Array) => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/**
 * Returns the address with every letter in the other case, so that the checksum is wrong. With one letter changed, an address
 * could be left with letters of one case, and that form has no checksum.
 */
export function wrongChecksum(wallet: string): string {
  return wallet.replace(/[a-f]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
}

export const SOLANA_WALLET = 'So11111111111111111111111111111111111111112';

/** Nobody has the key of this address. */
export const ZERO_ADDRESS = `0x${'0'.repeat(40)}` as Wallet;
