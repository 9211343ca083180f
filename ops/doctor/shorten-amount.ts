/** So many digits behind the point that the first two of them that are not 0 are there. */
export function shortenAmount(decimal: string): string {
  return /^\d+(\.0*\d{1,2})?/.exec(decimal)?.[0] ?? decimal;
}
