import type { Config } from './config.ts';
import { isDevelopmentKey } from './development-keys.ts';
import { describeKeyPosition, type Gatekeeper } from './gatekeeper.ts';
import { isPublicName, isReservedName } from './public-name.ts';
import { ConfigError } from './variable.ts';

/**
 * Throws ConfigError for settings that suit a developer's machine but would make a deployment insecure. All other rules of
 * the configuration are the same everywhere.
 */
export function validateDeployment({ origin, tokens, tokenUrl, admin, rpc, gatekeepers, corsOrigins }: Config): void {
  validateIssuer('TOKEN_ISSUER', tokens.issuer);
  validateAudience('TOKEN_AUDIENCE', tokens.audience);
  validatePublicUrl('JWKS_URL', tokens.jwksUrl);
  // The Worker does not fetch it, but partners send their secrets there.
  if (tokenUrl !== undefined) validatePublicUrl('TOKEN_URL', tokenUrl);
  if (admin) {
    validateIssuer('ADMIN_ISSUER', admin.issuer);
    validateAudience('ADMIN_AUDIENCE', admin.audience);
    validatePublicUrl('ADMIN_JWKS_URL', admin.jwksUrl);
    if (admin.tokenUrl !== undefined) validatePublicUrl('ADMIN_TOKEN_URL', admin.tokenUrl);
  }
  validateOrigin(origin);
  for (const [network, endpoints] of Object.entries(rpc)) {
    // URLs of endpoints may contain a user: some providers authenticate by it.
    for (const endpoint of endpoints) validatePublicHost('RPC_ENDPOINTS', new URL(endpoint()), `(${network}) `);
  }
  validateKeys('ETHEREUM_GATEKEEPER_KEY', gatekeepers.ethereum);
  validateKeys('SOLANA_GATEKEEPER_KEY', gatekeepers.solana);
  // Hosts are not checked: a browser may reach pages that this Worker cannot reach.
  if (!corsOrigins.every(isHttps)) throw new ConfigError('CORS_ORIGINS', 'must name origins that begin with https');
}

/** Without an origin, documents and challenges would name the host of the request, which anybody can forge. */
function validateOrigin(origin: string | undefined): void {
  if (origin === undefined) throw new ConfigError('PUBLIC_ORIGIN', 'must be set');
  validatePublicUrl('PUBLIC_ORIGIN', origin);
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

function isHttps(origin: string): boolean {
  return origin.startsWith('https:');
}

function validateKeys(variable: string, keys: readonly Gatekeeper<string | Uint8Array>[]): void {
  const known = keys.find((key) => !key.compromised && isDevelopmentKey(key));
  if (known === undefined) return;
  const others = keys.filter(({ network }) => network === known.network);
  const position = describeKeyPosition(others, others.indexOf(known), known.network);
  throw new ConfigError(variable, `${position}must not be a publicly known key`);
}
