import {
  type Base64EncodedWireTransaction,
  isSolanaError,
  SOLANA_ERROR__TRANSACTION_ERROR__ACCOUNT_NOT_FOUND,
  SOLANA_ERROR__TRANSACTION_ERROR__ALREADY_PROCESSED,
  SOLANA_ERROR__TRANSACTION_ERROR__INSUFFICIENT_FUNDS_FOR_FEE,
  SOLANA_ERROR__TRANSACTION_ERROR__INSUFFICIENT_FUNDS_FOR_RENT,
} from '@solana/kit';
import type { Delivery, Signed } from '../port.ts';
import type { Solana } from './adapter.ts';

/** The look has tried the calls already, and what the node does not repeat, the signer does. */
const OPTIONS = { encoding: 'base64', skipPreflight: true, maxRetries: 0n } as const;

const NO_FUNDS: readonly number[] = [
  SOLANA_ERROR__TRANSACTION_ERROR__ACCOUNT_NOT_FOUND,
  SOLANA_ERROR__TRANSACTION_ERROR__INSUFFICIENT_FUNDS_FOR_FEE,
  SOLANA_ERROR__TRANSACTION_ERROR__INSUFFICIENT_FUNDS_FOR_RENT,
];

/** Hands the bytes to the nodes. */
export async function broadcast({ rpc }: Solana, signed: readonly Signed[]): Promise<Delivery[]> {
  const sent = await Promise.allSettled(
    signed.map(({ bytes }) => rpc.sendTransaction(bytes as Base64EncodedWireTransaction, OPTIONS).send()),
  );
  return sent.map((each): Delivery => (each.status === 'fulfilled' ? { is: 'accepted' } : deliveryOf(each.reason)));
}

/** Some nodes try a transaction whatever they are told. Nothing here decides whether it lives: its status does. */
function deliveryOf(reason: unknown): Delivery {
  if (!isSolanaError(reason)) throw reason;
  const { cause } = reason;
  if (isSolanaError(cause, SOLANA_ERROR__TRANSACTION_ERROR__ALREADY_PROCESSED)) return { is: 'accepted' };
  if (isSolanaError(cause) && NO_FUNDS.includes(cause.context.__code)) return { is: 'no-funds' };
  return { is: 'refused', why: String(cause instanceof Error ? cause.message : reason.message).slice(0, 200) };
}
