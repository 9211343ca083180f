import type { Config } from './config.ts';
import { isDevelopmentKey } from './development-keys.ts';
import { describeKeyPosition, type Gatekeeper } from './gatekeeper.ts';
import { ConfigError } from './variable.ts';

/** Names that nobody can own (RFC 2606, RFC 6761): the templates are full of them. */
const RESERVED_NAME = /(^|\.)(example|example\.(com|net|org)|invalid|localhost|test)\.?$/;

/** Names that lead to another machine depending on where they are looked up (RFC 6762, RFC 7686, RFC 8375, and by custom). */
const LOCAL_NAME = /\.(arpa|corp|home|internal|intranet|lan|local|localdomain|onion)\.?$/;

/**
 * A host that the whole world finds by its name: labels, the last of them no number. Addresses have no such end, in
 * whichever spelling they came (`0x7f.1`, `2130706433`): `URL` has made them `127.0.0.1` and `[::1]`. Public ones are
 * refused as well: deployed Workers cannot fetch from them.
 */
const PUBLIC_NAME = /\.[a-z][a-z\d-]*\.?$/;

/**
 * Refuses what serves one developer on one machine, and would leave a deployment open to everybody: throws ConfigError.
 * The rest of the configuration is the same everywhere.
 */
export function validateDeployment({ origin, tokens, tokenUrl, admin, rpc, gatekeepers, corsOrigins }: Config): void {
  validateIssuer('TOKEN_ISSUER', tokens.issuer);
  validateAudience('TOKEN_AUDIENCE', tokens.audience);
  validatePublicUrl('JWKS_URL', tokens.jwksUrl);
  // Not fetched from here, but partners are told to send their secrets there.
  if (tokenUrl !== undefined) validatePublicUrl('TOKEN_URL', tokenUrl);
  if (admin) {
    validateIssuer('ADMIN_ISSUER', admin.issuer);
    validateAudience('ADMIN_AUDIENCE', admin.audience);
    validatePublicUrl('ADMIN_JWKS_URL', admin.jwksUrl);
  }
  validateOrigin(origin);
  for (const [network, endpoints] of Object.entries(rpc)) {
    // Endpoints of nodes may name a user: some providers know theirs by it.
    for (const endpoint of endpoints) validatePublicHost('RPC_ENDPOINTS', new URL(endpoint()), `(${network}) `);
  }
  validateKeys('ETHEREUM_GATEKEEPER_KEY', gatekeepers.ethereum);
  validateKeys('SOLANA_GATEKEEPER_KEY', gatekeepers.solana);
  // Not their hosts: a browser may well find a page where this Worker would find none.
  if (!corsOrigins.every(isHttps)) throw new ConfigError('CORS_ORIGINS', 'must name origins that begin with https');
}

/** Without it, documents and challenges would name the host of the request, which anybody can forge. */
function validateOrigin(origin: string | undefined): void {
  if (origin === undefined) throw new ConfigError('PUBLIC_ORIGIN', 'must be set');
  validatePublicUrl('PUBLIC_ORIGIN', origin);
}

function validateIssuer(variable: string, issuer: string): void {
  validatePublicUrl(variable, issuer);
  if (/[?#]/.test(issuer)) throw new ConfigError(variable, 'must have no query and no fragment (RFC 8414 §2)');
}

function validatePublicUrl(variable: string, text: string): void {
  const url = new URL(text);
  validatePublicHost(variable, url);
  if (url.username || url.password) throw new ConfigError(variable, 'must not name a user or a password');
}

function validatePublicHost(variable: string, { protocol, hostname }: URL, where = ''): void {
  // Who is on the way could put keys of its own in the answer, and sign itself any token.
  if (protocol !== 'https:') throw new ConfigError(variable, `${where}must begin with https`);
  if (!PUBLIC_NAME.test(hostname) || RESERVED_NAME.test(hostname) || LOCAL_NAME.test(hostname)) {
    throw new ConfigError(variable, `${where}must name a public host: no address, no local and no reserved name`);
  }
}

/** An audience is a name and need not be fetched; where it is a URL, it must not be the one of the template. */
function validateAudience(variable: string, audience: string): void {
  if (RESERVED_NAME.test(URL.parse(audience)?.hostname ?? '')) {
    throw new ConfigError(variable, 'must not have a reserved name for its host');
  }
}

function isHttps(origin: string): boolean {
  return origin.startsWith('https:');
}

function validateKeys(variable: string, keys: readonly Gatekeeper<string | Uint8Array>[]): void {
  const known = keys.find((key) => !key.compromised && isDevelopmentKey(key));
  if (known === undefined) return;
  const others = keys.filter(({ network }) => network === known.network);
  const position = describeKeyPosition(others, others.indexOf(known), known.network);
  throw new ConfigError(variable, `${position}must not be a key that everybody knows`);
}
