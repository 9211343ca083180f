import { createPublicKey, verify } from 'node:crypto';
import { type Address, getAddressEncoder, type Transaction } from '@solana/kit';

/** The DER prefix of the 32 bytes of an ed25519 key (RFC 8410 §4). node:crypto accepts only this form. */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/** Whether every signer has signed the message. */
export function isFullySigned({ messageBytes, signatures }: Transaction): boolean {
  const message = new Uint8Array(messageBytes);
  return Object.entries(signatures).every(
    ([signer, signature]) => signature !== null && verify(null, message, keyOf(signer as Address), signature),
  );
}

function keyOf(signer: Address) {
  const der = Buffer.concat([SPKI_PREFIX, new Uint8Array(getAddressEncoder().encode(signer))]);
  return createPublicKey({ key: der, format: 'der', type: 'spki' });
}
