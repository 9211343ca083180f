/** Returns the name of a network for people: with the day from which on it counts as ended, if one is announced. `now` in milliseconds. */
export function nameWithEnd(network: string, day: string | undefined, now: number): string {
  if (day === undefined) return network;
  return `${network} (${now < Date.parse(day) ? 'ends' : 'ended'} on ${day})`;
}
