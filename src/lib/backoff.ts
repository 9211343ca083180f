/** Returns `base` doubled `tries` times, at most `cap`, in the unit of the caller. */
export function backoff(base: number, tries: number, cap: number): number {
  return Math.min(cap, base * 2 ** Math.min(tries, 30));
}
