import { getAddress } from 'viem/utils';
import type { Wallet } from '../../../src/network/wallet.ts';

/** A wallet nobody has used, in EIP-55 form with letters of both cases. */
export function aWallet(): Wallet {
  for (;;) {
    const wallet = getAddress(`0x${hex(crypto.getRandomValues(new Uint8Array(20)))}`);
    const digits = wallet.slice(2);
    if (digits !== digits.toLowerCase() && digits !== digits.toUpperCase()) return wallet as string as Wallet;
  }
}

const hex = (bytes: Uint8Array) => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** The same address with one letter in the other case: no checksum any more. */
export function wrongChecksum(wallet: string): string {
  return wallet.replace(/[a-f]/i, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
}

export const SOLANA_WALLET = 'So11111111111111111111111111111111111111112';

/** Nobody has its key. */
export const ZERO_ADDRESS = `0x${'0'.repeat(40)}` as Wallet;
