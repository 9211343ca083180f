import { type ChainType, canonicalWallet, correctChecksum } from './csv/wallet.ts';
import { Failure } from './failure.ts';

/**
 * Returns the canonical form of a wallet address that the command line names. Throws Failure if it is none of the chain; if that is
 * unknown, the beginning of the text decides.
 */
export function demandWallet(text: string, chain?: ChainType): string {
  const supposed = chain ?? (/^0x/i.test(text) ? 'ethereum' : 'solana');
  const wallet = canonicalWallet(supposed, text);
  if (wallet !== undefined) return wallet;
  const correct = supposed === 'ethereum' ? correctChecksum(text) : undefined;
  const kind = chain === undefined ? 'a wallet address' : `a wallet address of the chain ${chain}`;
  throw new Failure(`"${text}" is not ${kind}${correct === undefined ? '' : `: ${checksumAdvice(correct)}`}`);
}

/** Returns the advice beside an address with a wrong checksum. The mistake may be in a digit. */
export const checksumAdvice = (correct: string): string =>
  `the checksum is wrong. If every digit is right, the address is ${correct}`;
