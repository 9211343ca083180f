import type { Config } from '../../src/config/config.ts';
import { answerOf, objectIn } from './answer.ts';
import { check, type Finding, ok, type Verdict, wrong } from './check.ts';

/**
 * Asks the service itself, as somebody without a token.
 * @param url Where it answers, its base path included, without a slash at the end.
 */
export function serviceFindings(url: string, config: Config | undefined, isLocal: boolean): Promise<Finding[]> {
  return Promise.all([
    check('service', () => healthVerdict(url)),
    check('service, issuer', () => metadataVerdict(url, config)),
    check('service, without a token', () => refusalVerdict(url)),
    ...(isLocal ? [] : [check('service, https', () => httpsVerdict(url))]),
  ]);
}

const TIMEOUT_MS = 10_000;
const MISPLACED = 'see that --url is where it is served (routes in wrangler.toml), BASE_PATH included';

const ask = (url: string, init: RequestInit = {}) => answerOf(url, TIMEOUT_MS, { redirect: 'manual', ...init });

async function healthVerdict(url: string): Promise<Verdict> {
  const answer = await ask(`${url}/health`);
  if (typeof answer === 'string') return wrong(`${url} does not answer (${answer})`, MISPLACED);
  if (answer.status === 500) {
    const remedy = '`npx wrangler tail --env NAME` shows which ("at":"request-failed") while it is asked once more';
    return wrong('it answers 500: a variable or a secret is wrong', remedy);
  }
  if (answer.status !== 200 || answer.text !== '{"status":"ok"}') {
    return wrong(`${url}/health answers ${answer.status}, and not as Gatepass does`, MISPLACED);
  }
  return ok(`${url} is up and configured`);
}

/** RFC 9728 §3: the path of the resource comes behind the well-known one. */
async function metadataVerdict(url: string, config: Config | undefined): Promise<Verdict> {
  const { origin, pathname } = new URL(url);
  const path = `/.well-known/oauth-protected-resource${pathname === '/' ? '' : pathname}`;
  const answer = await ask(origin + path);
  if (typeof answer === 'string' || answer.status !== 200) {
    return wrong(`${path} answers ${typeof answer === 'string' ? answer : answer.status}`, MISPLACED);
  }
  const [issuer] = [objectIn(answer).authorization_servers].flat();
  if (typeof issuer !== 'string') return wrong(`${path} answers 200, and not as Gatepass does`, MISPLACED);
  if (config === undefined) return ok(`it takes tokens of ${issuer}`);
  if (issuer === config.tokens.issuer) return ok(`it takes tokens of ${issuer}, as configured here`);
  return wrong(
    `it takes tokens of ${issuer}, and TOKEN_ISSUER is ${config.tokens.issuer}`,
    'deploy what is configured here, or check the block that is deployed there',
  );
}

async function refusalVerdict(url: string): Promise<Verdict> {
  const headers = { 'content-type': 'application/json' };
  const answer = await ask(`${url}/pass`, { method: 'POST', headers, body: '{}' });
  if (typeof answer === 'string') return wrong(`no answer (${answer})`, MISPLACED);
  const told = answer.headers.get('www-authenticate') ?? '';
  if (answer.status === 401 && /^Bearer\b.*resource_metadata=/.test(told)) return ok('it asks for one (401)');
  return wrong(`it answers ${answer.status} and not 401`, MISPLACED);
}

/** Whoever asks by plain http may be led to https, and gets nothing else. */
async function httpsVerdict(url: string): Promise<Verdict> {
  if (!url.startsWith('https:'))
    return wrong('--url begins with http', 'partners send their tokens there: serve it by https');
  return plainVerdict(url.replace(/^https:/, 'http:'));
}

export async function plainVerdict(url: string): Promise<Verdict> {
  const answer = await ask(`${url}/health`);
  if (typeof answer === 'string') return ok(`nothing answers by plain http (${answer})`);
  const { status } = answer;
  if (status >= 400) return ok(`plain http is refused (${status})`);
  if (status >= 300 && /^https:/.test(answer.headers.get('location') ?? '')) return ok('plain http leads to https');
  return wrong(
    `plain http answers ${status}: a token sent there would be read on the way`,
    'switch on "Always Use HTTPS" for the zone (dashboard: SSL/TLS, Edge Certificates)',
  );
}
