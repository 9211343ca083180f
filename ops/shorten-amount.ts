/** Returns the amount, cut after the first two significant digits of its fraction. */
export function shortenAmount(decimal: string): string {
  return /^\d+(\.0*\d{1,2})?/.exec(decimal)?.[0] ?? decimal;
}
