import type { Config } from '../config/config.ts';
import { isPublicName } from '../config/validate-deployment.ts';

/** Services whose names resolve to the address in the name, to loopback, or to changing addresses. No list of them is complete. */
const WILDCARD_SUFFIXES = [
  ...['nip.io', 'sslip.io', 'xip.io', 'ip.addr.tools', 'local-ip.co', 'localdev.me', 'localhost.direct'],
  ...['localtest.me', 'lvh.me', 'vcap.me', 'lacolhost.com', 'traefik.me', '1u.ms', 'rbndr.us'],
];

/** The plain spelling of a URL. Parsers disagree about backslashes, spaces, missing slashes and an empty user. */
const PLAIN_URL = /^https?:\/\/[^@/?\\\s\p{Cc}]+([/?][^\\\s\p{Cc}]*)?$/iu;

/** A host name as DNS has it: no empty label, and no final dot. */
const HOST_NAME = /^([a-z\d_]([a-z\d_-]*[a-z\d_])?\.)+[a-z][a-z\d-]*[a-z\d]$/;

/** Returns why a webhook must not have the URL, as the end of a sentence that begins with "the URL"; undefined: it may. Pure. */
export function refusalOfTarget(text: string, config: Config): string | undefined {
  const url = URL.parse(text);
  if (url === null) return 'must be a URL';
  const { protocol, hostname, port } = url;
  const isLocal = config.local && isLoopback(hostname);
  if (protocol !== 'https:' && !(isLocal && protocol === 'http:')) return 'must begin with https:';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or a password';
  if (text.includes('#')) return 'must not have a fragment';
  if (!PLAIN_URL.test(text)) return 'must have the form https://host/path, without spaces and backslashes';
  if (isLocal) return undefined;
  if (port !== '') return 'must have no port, or port 443';
  if (/^\[|^[\d.]+$/.test(hostname)) return 'must have a host name, not an address';
  const isPublic = HOST_NAME.test(hostname) && isPublicName(hostname);
  if (!isPublic || WILDCARD_SUFFIXES.some((suffix) => isWithin(hostname, suffix)))
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
    ...[origin, tokenUrl, tokens.issuer, tokens.jwksUrl, admin?.issuer, admin?.jwksUrl, admin?.tokenUrl],
    ...Object.values(rpc).flatMap((endpoints) => endpoints.map((endpoint) => endpoint())),
  ];
  // The configuration may name a host with a final dot, which a webhook may not.
  return new Set(urls.flatMap((url) => URL.parse(url ?? '')?.hostname.replace(/\.$/, '') ?? []));
}
