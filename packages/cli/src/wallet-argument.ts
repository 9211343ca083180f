import { type ChainType, canonicalWallet, correctChecksum, wrongCharacterOf } from './csv/wallet.ts';
import { Failure } from './failure.ts';
import { pastedWallet } from './pasted-text.ts';

/** The beginning of an Ethereum address, also with invisible characters in it. */
const ETHEREUM_START = /^[^0-9A-Za-z]*0[^0-9A-Za-z]*x/i;

/**
 * Returns the canonical form of a wallet address that the command line names, perhaps as somebody has pasted it. Throws Failure if it is none of the chain; if that is
 * unknown, the beginning of the text decides.
 */
export function demandWallet(pasted: string, chain?: ChainType): string {
  const text = pastedWallet(pasted);
  const supposed = chain ?? (ETHEREUM_START.test(text) ? 'ethereum' : 'solana');
  const wallet = canonicalWallet(supposed, text);
  if (wallet !== undefined) return wallet;
  const kind = chain === undefined ? 'a wallet address' : `a wallet address of the chain ${chain}`;
  const correct = supposed === 'ethereum' ? correctChecksum(text) : undefined;
  const why = correct === undefined ? wrongCharacterOf(supposed, text) : checksumAdvice(correct);
  throw new Failure(`"${text}" is not ${kind}${why === undefined ? '' : `: ${why}`}`);
}

/** Returns the advice beside an address with a wrong checksum. The mistake may be in a digit. */
export const checksumAdvice = (correct: string): string =>
  `the checksum is wrong. If every digit is right, the address is ${correct}`;
