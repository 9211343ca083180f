import { formatEther, formatUnits } from 'viem/utils';

/** Returns a short readable amount of wei, with its unit. */
export const formatWei = (wei: bigint): string => `${shortenAmount(formatEther(wei))} coins`;

/** Returns a short readable amount of lamports, with its unit. */
export const formatLamports = (lamports: bigint): string => `${shortenAmount(formatUnits(lamports, 9))} SOL`;

/** Returns the amount, cut after the first two significant digits of its fraction. */
export function shortenAmount(decimal: string): string {
  return /^\d+(\.0*\d{1,2})?/.exec(decimal)?.[0] ?? decimal;
}
