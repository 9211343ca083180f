import type { Config } from './config.ts';
import { describeKeyPosition, type Gatekeeper } from './gatekeeper.ts';
import { ConfigError, parseAll } from './variable.ts';

/**
 * Throws ConfigError for settings that suit a developer's machine but would make a deployment insecure. All other rules of
 * the configuration are the same everywhere.
 */
export function validateDeployment({
  origin,
  tokens,
  tokenUrl,
  admin,
  rpc,
  kms,
  gatekeepers,
  verdictKeys,
  corsOrigins,
}: Config): void {
  parseAll({
    issuer: () => validateIssuer('TOKEN_ISSUER', tokens.issuer),
    audience: () => validateAudience('TOKEN_AUDIENCE', tokens.audience),
    jwksUrl: () => validatePublicUrl('JWKS_URL', tokens.jwksUrl),
    // The Worker does not fetch it, but partners send their secrets there.
    tokenUrl: () => validateOptionalUrl('TOKEN_URL', tokenUrl),
    // The operator's rules take missing values from those of the partners, which are checked above.
    adminIssuer: () => admin && admin.issuer !== tokens.issuer && validateIssuer('ADMIN_ISSUER', admin.issuer),
    adminAudience: () => admin && validateAudience('ADMIN_AUDIENCE', admin.audience),
    adminJwksUrl: () => admin && admin.jwksUrl !== tokens.jwksUrl && validatePublicUrl('ADMIN_JWKS_URL', admin.jwksUrl),
    adminTokenUrl: () => validateOptionalUrl('ADMIN_TOKEN_URL', admin?.tokenUrl),
    origin: () => validateOptionalUrl('PUBLIC_ORIGIN', origin),
    rpc: () => {
      for (const [network, endpoints] of Object.entries(rpc)) {
        // URLs of endpoints may contain a user: some providers authenticate by it.
        for (const endpoint of endpoints) validatePublicHost('RPC_ENDPOINTS', new URL(endpoint()), `(${network}) `);
      }
    },
    kms: () => {
      for (const credentials of [kms.aws, kms.gcp]) validateOptionalUrl('KMS_CREDENTIALS', credentials?.().endpoint);
    },
    ethereum: () => validateKeys('ETHEREUM_GATEKEEPER_KEY', gatekeepers.ethereum),
    solana: () => validateKeys('SOLANA_GATEKEEPER_KEY', gatekeepers.solana),
    verdicts: () => validateKeys('VERDICT_KEY', verdictKeys.key ? [verdictKeys.key] : []),
    cors: () => {
      // Hosts are not checked: a browser may reach pages that this Worker cannot reach.
      if (!corsOrigins.every((page) => page.startsWith('https:')))
        throw new ConfigError('CORS_ORIGINS', 'must name origins that begin with https');
    },
  });
}

function validateOptionalUrl(variable: string, text: string | undefined): void {
  if (text !== undefined) validatePublicUrl(variable, text);
}

function validateIssuer(variable: string, issuer: string): void {
  validatePublicUrl(variable, issuer);
  if (/[?#]/.test(issuer)) throw new ConfigError(variable, 'must not have a query or a fragment (RFC 8414 §2)');
}

function validatePublicUrl(variable: string, text: string): void {
  const url = new URL(text);
  validatePublicHost(variable, url);
  if (url.username || url.password) throw new ConfigError(variable, 'must not name a user or a password');
}

function validatePublicHost(variable: string, { protocol, hostname }: URL, where = ''): void {
  // On plain http, an attacker could replace the issuer's keys in the answer and sign any token.
  if (protocol !== 'https:') throw new ConfigError(variable, `${where}must begin with https`);
  // Public addresses are refused too: deployed Workers cannot fetch from them.
  if (!isPublicName(hostname)) {
    throw new ConfigError(variable, `${where}must name a public host, not an address, a local name or a reserved name`);
  }
}

/** An audience is a name that the Worker does not fetch. If it is a URL, its host must not be the template's. */
function validateAudience(variable: string, audience: string): void {
  if (isReservedName(URL.parse(audience)?.hostname ?? '')) {
    throw new ConfigError(variable, 'must not have a reserved name as its host');
  }
}

function validateKeys(variable: string, keys: readonly Gatekeeper<string | Uint8Array>[]): void {
  const known = keys.find((key) => !key.compromised && isDevelopmentKey(key));
  if (known === undefined) return;
  const others = keys.filter(({ network }) => network === known.network);
  const position = describeKeyPosition(others, others.indexOf(known), known.network);
  throw new ConfigError(variable, `${position}must not be a publicly known key`);
}

/** First eight characters of the addresses of published keys, without `0x`. A test derives each of them from its key. */
export const KNOWN_ADDRESS_PREFIXES: ReadonlySet<string> = new Set(
  [
    // Hardhat and Anvil: "test test test test test test test test test test test junk".
    'f39Fd6e5 70997970 3C44CdDd 90F79bf6 15d34AAf 9965507D 976EA740 14dC7996 23618e81 a0Ee7A14',
    'Bcd4042D 71bE63f3 FABB0ac9 1CBd3b27 dF3e18d6 cd3B766C 2546BcD3 bDA5747b dD2FD458 8626f694',
    // Ganache: "myth like bonus scare over problem client lizard pioneer submit female collect".
    '90F8bf6A FFcf8FDE 22d491Bd E11BA2b4 d03ea862 95cED938 3E5e9111 28a8746e ACa94ef8 1dF62f29',
    // Truffle: "candy maple cake sugar pudding cream honey rich smooth crumble sweet treat".
    '62730609 f17f5215 C5fdf407 821aEa9a 0d1d4e62 2932b7A2 2191eF87 0F4F2Ac5 6330A553 5AEDA562',
    // BIP 39: "abandon", eleven times, and "about".
    '9858EfFD 6Fac4D18 b6716976 F3f50213 51cA8ff9 A40cFBFc B191a13b 593814d3 B14c391e 4C1C5644',
    // The bytes 0 to 31 and 1 to 32, on both chains.
    'edE35562 6370eF2f FAe4sisG 9C6hybhQ',
    // The test vectors of Ed25519 (RFC 8032 §7.1), and the localnet's gatekeeper on Solana.
    'FVen3X66 586Z7H2v Hyx62wPQ 3fD58whN Gtbi6WQD EzhebEdo',
  ].flatMap((line) => line.split(' ')),
);

/**
 * Keys with fewer different bytes count as typed by hand, such as 1, 0x1111… or 0xdeadbeef…. Only one random key in 2^54 has
 * fewer.
 */
const MIN_DIFFERENT_BYTES = 16;

/**
 * Whether the key is public knowledge. It compares eight characters of the address: the chance to mistake a random key for a
 * published one is below one in a hundred million.
 */
function isDevelopmentKey({ address, key, kms }: Gatekeeper<string | Uint8Array>): boolean {
  if (KNOWN_ADDRESS_PREFIXES.has(address.replace(/^0x/, '').slice(0, 8))) return true;
  // The bytes of a key in a KMS are not known here. Somebody may have imported a published key, which its address shows.
  if (kms !== undefined) return false;
  const secret = key();
  // The first half of a Solana key pair is the private key.
  const bytes = typeof secret === 'string' ? secret.slice(2).match(/../g) : secret.subarray(0, 32);
  return new Set<unknown>(bytes).size < MIN_DIFFERENT_BYTES;
}

/**
 * A host name with a dot, of which the last label is not a number. An IP address never matches, because `URL` normalizes every
 * spelling (`0x7f.1`, `2130706433`) to `127.0.0.1` or `[::1]`.
 */
const DOTTED_NAME = /\.[a-z][a-z\d-]*\.?$/;

/** Names that nobody can own (RFC 2606, RFC 6761). The templates use them. */
const RESERVED_NAME = /(^|\.)(example|example\.(com|net|org)|invalid|localhost|test)\.?$/;

/** Names that resolve differently in each local network, or not in DNS (RFC 6762, 7686, 8375, 9476, and by custom). */
const LOCAL_NAME = /\.(alt|arpa|corp|home|internal|intranet|lan|local|localdomain|onion|private|svc)\.?$/;

/** Whether a parsed URL's host is a public name: neither an address nor a reserved or local name. A final dot is allowed. */
export function isPublicName(hostname: string): boolean {
  return DOTTED_NAME.test(hostname) && !isReservedName(hostname) && !LOCAL_NAME.test(hostname);
}

/** Whether nobody can own the name, for example `api.example.com`. */
function isReservedName(hostname: string): boolean {
  return RESERVED_NAME.test(hostname);
}
