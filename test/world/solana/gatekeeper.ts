import type { Address } from '@solana/kit';

/**
 * The gatekeeper of the world on Solana: a key for development that everybody may know, as the file of `solana-keygen`
 * has it in 64 bytes (seed, public key), in base58. Its seed is the SHA-256 of "gatekeeper of the world".
 */
export const SOLANA_GATEKEEPER_KEY =
  'yxvjZtYXuS1v7wFEdTSDSehYFxpxYL9w6JtYcPi9wzVvRoQ5uWamvi2S8mqf74kdFeoCGkA13BhujAsEQciFJF6';
export const SOLANA_GATEKEEPER = 'EzhebEdoyAn1FPmMs6PLH33GEg8siViQQRmEKCtpFRwS' as Address;
