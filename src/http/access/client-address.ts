const HEADER = 'cf-connecting-ip';

/**
 * Returns the address of the caller for the rate limit. Cloudflare sets the header and overwrites a value that the caller sends.
 * For IPv6, returns the /64 network: callers have at least that much (RFC 6177 §2), so each request could use another address.
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
