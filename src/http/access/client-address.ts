const HEADER = 'cf-connecting-ip';

/**
 * Whom a request comes from, for the rate limit: the address that Cloudflare names (it overwrites what the caller sends).
 * Of IPv6 the network of 64 bits, which is the least that a caller has (RFC 6177 §2): else each request could have an
 * address of its own.
 */
export function clientAddressOf({ headers }: Request): string {
  const address = headers.get(HEADER) ?? 'unknown';
  return /^[0-9a-f:]+$/i.test(address) && address.includes(':') ? prefixOf(address) : address.slice(0, 64);
}

function prefixOf(address: string): string {
  const [before = [], after] = address.split('::').map((part) => part.split(':').filter(Boolean));
  const zeros = after === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...Array<string>(zeros).fill('0'), ...(after ?? [])];
  return `${groups.slice(0, 4).join(':')}::/64`;
}
