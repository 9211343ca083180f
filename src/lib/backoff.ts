/** `base` doubled `tries` times, never above `cap`; the unit is the caller's. */
export function backoff(base: number, tries: number, cap: number): number {
  return Math.min(cap, base * 2 ** Math.min(tries, 30));
}
