import type { Config } from '../../src/config/config.ts';
import { check, type Finding, fail, ok, skip, type Verdict } from './check.ts';
import { fetchAnswer, type HttpAnswer, parseObject, printable } from './fetch-answer.ts';

/**
 * Checks the running service with requests without a token.
 * @param url URL of the service, including its base path, without a slash at the end.
 */
export function checkService(url: string, config: Config | undefined, isLocal: boolean): Promise<Finding[]> {
  return Promise.all([
    check('service', () => healthVerdict(url)),
    check('service, issuer', () => metadataVerdict(url, config)),
    check('service, without a token', () => refusalVerdict(url)),
    ...(isLocal ? [] : [check('service, https', () => httpsVerdict(url))]),
  ]);
}

const TIMEOUT_MS = 10_000;
const MISPLACED_REMEDY = 'check that --url is the URL of the service (its routes), including BASE_PATH';

const ELSEWHERE_REMEDY = 'set PUBLIC_ORIGIN and BASE_PATH to the URL that partners use, or correct --url';

const DEPLOYED_REMEDY = 'deploy this configuration, or check the values that are deployed there';

const ask = (url: string, init: RequestInit = {}) => fetchAnswer(url, TIMEOUT_MS, { redirect: 'manual', ...init });

async function healthVerdict(url: string): Promise<Verdict> {
  const answer = await ask(`${url}/health`);
  if (typeof answer === 'string') return fail(`${url} does not answer (${answer})`, MISPLACED_REMEDY);
  const { code, errors, status } = parseObject(answer);
  if (code === 'not_configured') {
    const remedy =
      'correct them; the line "event":"request.failed" of `npm run wrangler -- tail --env NAME` says what is wrong with each';
    return fail(`it is not configured: ${namesIn(errors)} are missing or wrong`, remedy);
  }
  if (answer.status !== 200 || status !== 'ok') {
    return fail(`${url}/health answers ${answer.status}, but not as Gatepass does`, MISPLACED_REMEDY);
  }
  return readinessVerdict(url);
}

/** Returns the names in the errors of an answer. */
const namesIn = (errors: unknown) =>
  [errors]
    .flat()
    .map((each) => printable(Object(each).pointer).replace('/', ''))
    .join(', ');

async function readinessVerdict(url: string): Promise<Verdict> {
  const answer = await ask(`${url}/health/ready`);
  const remedy = 'see the log for database.* and signer.unreachable, and issuer.keys_unavailable; then try again';
  if (typeof answer === 'string') return fail(`/health/ready does not answer (${answer})`, remedy);
  if (answer.status === 503) {
    return fail(`${url} is up, but not ready: no answer from ${namesIn(parseObject(answer).errors)}`, remedy);
  }
  // The release before has no such path.
  return ok(`${url} is up and configured${answer.status === 200 ? ', and its parts answer' : ''}`);
}

/** Checks the metadata of the protected resource. RFC 9728 §3: the resource's path follows the well-known path. */
async function metadataVerdict(url: string, config: Config | undefined): Promise<Verdict> {
  const { origin, pathname } = new URL(url);
  const path = `/.well-known/oauth-protected-resource${pathname === '/' ? '' : pathname}`;
  const answer = await ask(origin + path);
  if (typeof answer === 'string' || answer.status !== 200) {
    return fail(`${path} answers ${typeof answer === 'string' ? answer : answer.status}`, MISPLACED_REMEDY);
  }
  const { issuer, scopes, resource } = resourceIn(answer);
  if (issuer === undefined || scopes.length === 0) {
    return fail(`${path} answers 200, but not as Gatepass does`, MISPLACED_REMEDY);
  }
  if (resource !== url) {
    return fail(`it names ${printable(resource)} as its URL, not ${url}`, ELSEWHERE_REMEDY);
  }
  const takes = `it accepts tokens of ${printable(issuer)}`;
  if (config === undefined) return ok(takes);
  const { tokens } = config;
  if (issuer !== tokens.issuer) return fail(`${takes}, but TOKEN_ISSUER is ${tokens.issuer}`, DEPLOYED_REMEDY);
  // The Worker lists the scopes in this order.
  const [theirs, ours] = [scopes.join(' '), Object.values(tokens.scopes).join(' ')];
  if (theirs !== ours) {
    const variables = Object.keys(tokens.scopes).map((name) => `SCOPE_${name.toUpperCase()}`);
    const names = new Intl.ListFormat('en-GB').format(variables);
    return fail(`its scopes are ${printable(theirs)}, but ${names} are ${ours}`, DEPLOYED_REMEDY);
  }
  return ok(`${takes}; its issuer and scopes match this configuration`);
}

/**
 * Returns issuer, scopes and URL of a protected resource from its metadata. By RFC 9728 §3.3, the URL must be the one that
 * the metadata was requested for.
 */
function resourceIn(answer: HttpAnswer): { issuer: string | undefined; scopes: string[]; resource: string } {
  const { authorization_servers: issuers, scopes_supported: scopes, resource } = parseObject(answer);
  const strings = (said: unknown) => [said].flat().filter((each) => typeof each === 'string');
  return { issuer: strings(issuers)[0], scopes: strings(scopes), resource: strings(resource)[0] ?? 'no URL' };
}

async function refusalVerdict(url: string): Promise<Verdict> {
  const headers = { 'content-type': 'application/json' };
  const answer = await ask(`${url}/pass`, { method: 'POST', headers, body: '{}' });
  if (typeof answer === 'string') return fail(`no answer (${answer})`, MISPLACED_REMEDY);
  const told = answer.headers.get('www-authenticate') ?? '';
  if (answer.status === 401 && /^Bearer\b.*resource_metadata=/.test(told)) return ok('it requires a token (401)');
  return fail(`it answers ${answer.status} instead of 401`, MISPLACED_REMEDY);
}

/** Plain http may be refused or redirected to https, but must not be served. */
async function httpsVerdict(url: string): Promise<Verdict> {
  if (!url.startsWith('https:'))
    return fail('--url begins with http:', 'serve it over https, because partners send their tokens there');
  return checkPlainHttp(url.replace(/^https:/, 'http:'));
}

/** Statuses that refuse plain http. After any other error status, the next request might still be served. */
const REFUSAL_STATUSES: readonly number[] = [403, 404, 426];

export async function checkPlainHttp(url: string): Promise<Verdict> {
  const answer = await ask(`${url}/health`);
  if (answer === 'ECONNREFUSED') return ok(`nothing answers on plain http (${answer})`);
  if (typeof answer === 'string') return skip(`the answer on plain http is unknown (${printable(answer)})`);
  const { status } = answer;
  if (REFUSAL_STATUSES.includes(status)) return ok(`plain http is refused (${status})`);
  if (status >= 400 && status !== 401) return skip(`the answer on plain http is unknown (HTTP ${status})`);
  if (status >= 300 && /^https:/.test(answer.headers.get('location') ?? '')) return ok('plain http redirects to https');
  return fail(
    `plain http answers ${status}: others could read a token that is sent there`,
    'switch on "Always Use HTTPS" for the zone (dashboard: SSL/TLS, Edge Certificates)',
  );
}
