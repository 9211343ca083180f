import type { Config } from '../../src/config/config.ts';
import { check, type Finding, fail, ok, skip, type Verdict } from './check.ts';
import { fetchAnswer, type HttpAnswer, parseObject, printable } from './fetch-answer.ts';

/**
 * Asks the service itself, as somebody without a token.
 * @param url Where it answers, its base path included, without a slash at the end.
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
const MISPLACED_REMEDY = 'see that --url is where it is served (routes in wrangler.toml), BASE_PATH included';

const ELSEWHERE_REMEDY = 'set PUBLIC_ORIGIN and BASE_PATH to where partners find it, or --url';

const DEPLOYED_REMEDY = 'deploy what is configured here, or check the block that is deployed there';

const ask = (url: string, init: RequestInit = {}) => fetchAnswer(url, TIMEOUT_MS, { redirect: 'manual', ...init });

async function healthVerdict(url: string): Promise<Verdict> {
  const answer = await ask(`${url}/health`);
  if (typeof answer === 'string') return fail(`${url} does not answer (${answer})`, MISPLACED_REMEDY);
  if (answer.status === 500) {
    const remedy = '`npx wrangler tail --env NAME` shows which ("at":"request-failed") while it is asked once more';
    return fail('it answers 500: a variable or a secret is wrong', remedy);
  }
  if (answer.status !== 200 || answer.text !== '{"status":"ok"}') {
    return fail(`${url}/health answers ${answer.status}, and not as Gatepass does`, MISPLACED_REMEDY);
  }
  return ok(`${url} is up and configured`);
}

/** RFC 9728 §3: the path of the resource comes behind the well-known one. */
async function metadataVerdict(url: string, config: Config | undefined): Promise<Verdict> {
  const { origin, pathname } = new URL(url);
  const path = `/.well-known/oauth-protected-resource${pathname === '/' ? '' : pathname}`;
  const answer = await ask(origin + path);
  if (typeof answer === 'string' || answer.status !== 200) {
    return fail(`${path} answers ${typeof answer === 'string' ? answer : answer.status}`, MISPLACED_REMEDY);
  }
  const { issuer, scopes, resource } = resourceIn(answer);
  if (issuer === undefined || scopes.length === 0) {
    return fail(`${path} answers 200, and not as Gatepass does`, MISPLACED_REMEDY);
  }
  if (resource !== url) {
    return fail(`it says that it is at ${printable(resource)}, and not at ${url}`, ELSEWHERE_REMEDY);
  }
  const takes = `it takes tokens of ${printable(issuer)}`;
  if (config === undefined) return ok(takes);
  const { tokens } = config;
  if (issuer !== tokens.issuer) return fail(`${takes}, and TOKEN_ISSUER is ${tokens.issuer}`, DEPLOYED_REMEDY);
  // In this order, too: it is that in which the Worker names them.
  const [theirs, ours] = [scopes.join(' '), Object.values(tokens.scopes).join(' ')];
  if (theirs !== ours) {
    return fail(
      `its scopes are ${printable(theirs)}, and SCOPE_SEARCH, SCOPE_ISSUE and SCOPE_UPDATE ${ours}`,
      DEPLOYED_REMEDY,
    );
  }
  return ok(`${takes}; its issuer and scopes are as configured here`);
}

/** Issuer and scopes of the metadata of a protected resource, and where it says it is (RFC 9728 §3.3: where it was asked). */
function resourceIn(answer: HttpAnswer): { issuer: string | undefined; scopes: string[]; resource: string } {
  const { authorization_servers: issuers, scopes_supported: scopes, resource } = parseObject(answer);
  const strings = (said: unknown) => [said].flat().filter((each) => typeof each === 'string');
  return { issuer: strings(issuers)[0], scopes: strings(scopes), resource: strings(resource)[0] ?? 'no place' };
}

async function refusalVerdict(url: string): Promise<Verdict> {
  const headers = { 'content-type': 'application/json' };
  const answer = await ask(`${url}/pass`, { method: 'POST', headers, body: '{}' });
  if (typeof answer === 'string') return fail(`no answer (${answer})`, MISPLACED_REMEDY);
  const told = answer.headers.get('www-authenticate') ?? '';
  if (answer.status === 401 && /^Bearer\b.*resource_metadata=/.test(told)) return ok('it asks for one (401)');
  return fail(`it answers ${answer.status} and not 401`, MISPLACED_REMEDY);
}

/** Whoever asks by plain http may be led to https, and gets nothing else. */
async function httpsVerdict(url: string): Promise<Verdict> {
  if (!url.startsWith('https:'))
    return fail('--url begins with http', 'partners send their tokens there: serve it by https');
  return checkPlainHttp(url.replace(/^https:/, 'http:'));
}

/** What refuses a request for being in plain http; whatever else fails may be served the next time. */
const REFUSAL_STATUSES: readonly number[] = [403, 404, 426];

export async function checkPlainHttp(url: string): Promise<Verdict> {
  const answer = await ask(`${url}/health`);
  if (answer === 'ECONNREFUSED') return ok(`nothing answers by plain http (${answer})`);
  if (typeof answer === 'string') return skip(`what plain http gets is not known (${printable(answer)})`);
  const { status } = answer;
  if (REFUSAL_STATUSES.includes(status)) return ok(`plain http is refused (${status})`);
  if (status >= 400 && status !== 401) return skip(`what plain http gets is not known (HTTP ${status})`);
  if (status >= 300 && /^https:/.test(answer.headers.get('location') ?? '')) return ok('plain http leads to https');
  return fail(
    `plain http answers ${status}: a token sent there would be read on the way`,
    'switch on "Always Use HTTPS" for the zone (dashboard: SSL/TLS, Edge Certificates)',
  );
}
