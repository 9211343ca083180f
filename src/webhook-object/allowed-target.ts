import type { Config } from '../config/config.ts';

/** Names that are reserved for local or special use (RFC 2606, RFC 6761, RFC 8375, RFC 9476), or that private networks use. */
const RESERVED_SUFFIXES = [
  ...['localhost', 'local', 'internal', 'intranet', 'private', 'corp', 'home', 'lan', 'home.arpa', 'arpa'],
  ...['test', 'example', 'invalid', 'onion', 'alt', 'example.com', 'example.net', 'example.org'],
];
/** Services whose names resolve to the address in the name, or to loopback. No list of them is complete. */
const WILDCARD_SUFFIXES = [
  ...['nip.io', 'sslip.io', 'xip.io', 'localtest.me', 'lvh.me', 'vcap.me', 'lacolhost.com', 'traefik.me'],
];

/** Returns why a webhook must not have the URL, as the end of a sentence that begins with "the URL"; undefined: it may. Pure. */
export function refusalOfTarget(text: string, config: Config): string | undefined {
  const url = URL.parse(text);
  if (url === null) return 'must be a URL';
  const { protocol, hostname, port } = url;
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or a password';
  if (url.hash !== '' || text.includes('#')) return 'must not have a fragment';
  if (config.local && isLoopback(hostname) && /^https?:$/.test(protocol)) return undefined;
  if (protocol !== 'https:') return 'must begin with https:';
  if (port !== '') return 'must have no port, or port 443';
  if (/^\[|^[\d.]+$/.test(hostname)) return 'must have a host name, not an address';
  if (!/^([a-z\d_]([a-z\d_-]*[a-z\d_])?\.)+[a-z][a-z\d-]*[a-z\d]$/.test(hostname))
    return 'must have a public host name';
  if ([...RESERVED_SUFFIXES, ...WILDCARD_SUFFIXES].some((suffix) => isWithin(hostname, suffix)))
    return 'must have a public host name';
  const own = config.publicHosts.some((host) => isWithin(hostname, host)) || hostsOf(config).has(hostname);
  return own ? 'must not belong to this service or to one that it uses' : undefined;
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}

function isWithin(hostname: string, suffix: string): boolean {
  return hostname === suffix || hostname.endsWith(`.${suffix}`);
}

/** Returns the hosts of this deployment: its own, those of its issuers, and those of its RPC endpoints. */
function hostsOf({ origin, tokens, tokenUrl, admin, rpc }: Config): ReadonlySet<string> {
  const urls = [
    ...[origin, tokenUrl, tokens.issuer, tokens.jwksUrl, admin?.issuer, admin?.jwksUrl],
    ...Object.values(rpc).flatMap((endpoints) => endpoints.map((endpoint) => endpoint())),
  ];
  // The configuration may name a host with a final dot, which a webhook may not.
  return new Set(urls.flatMap((url) => URL.parse(url ?? '')?.hostname.replace(/\.$/, '') ?? []));
}
