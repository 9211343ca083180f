import { keccak_256 } from '@noble/hashes/sha3';
import { type Hex, hexToBytes } from './hex.ts';

/** Returns the 32 bytes of Keccak-256, which Ethereum uses. SHA3-256 (FIPS 202) is another hash. */
export const keccak256 = (data: Uint8Array | Hex): Uint8Array =>
  keccak_256(typeof data === 'string' ? hexToBytes(data) : data);
