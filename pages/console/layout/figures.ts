/** Numbers, amounts and durations as people read them. */

export const number = (value: number | bigint) => value.toLocaleString('en');

/** Returns an amount of wei or lamports in whole coins. */
export function coins(amount: string, chain: string): string {
  const [decimals, name] = chain === 'solana' ? [9, 'SOL'] : [18, 'coins'];
  const digits = amount.padStart(decimals + 1, '0');
  const whole = digits.slice(0, -decimals);
  const fraction = digits.slice(-decimals).slice(0, 6).replace(/0+$/, '');
  return `${number(BigInt(whole))}${fraction ? `.${fraction}` : ''} ${name}`;
}

export function duration(seconds: number): string {
  if (seconds < 90) return `${seconds} s`;
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}
