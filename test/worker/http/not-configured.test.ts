import { createScheduledController } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import worker from '../../../src/worker.ts';
import { ROUTES } from '../../../tools/openapi/routes.ts';
import { expectProblem, expectProblemHeaders } from '../../problem.ts';
import { linesOf } from '../lines-of.ts';
import { Api, workerWith } from './api.ts';

/** A Worker whose configuration is missing or wrong. `test/unit/config` has the rules of each variable. */

const PLANTED = 'planted7f3a';
const PAGE = 'https://app.acme.io';

const errors = vi.spyOn(console, 'error');
vi.spyOn(console, 'log').mockReturnValue();
beforeEach(() => void errors.mockReset());

const unconfigured = (changes: object) => new Api(undefined, workerWith(changes as Record<string, unknown>));
const healthOf = (changes: object, path = '/health') => unconfigured(changes).call('GET', path);
/** All that a caller sees, without the request ids, which may have any digits. */
const shown = ({ text, headers }: { readonly text: string; readonly headers: Headers }) =>
  (text + JSON.stringify([...headers])).replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, 'ID');

/** A wrong value of each kind of variable. */
const WRONG = {
  DEPLOYMENT: PLANTED,
  TOKEN_ISSUER: `http://[${PLANTED}`,
  TOKEN_AUDIENCE: ` ${PLANTED}`,
  TOKEN_BINDING: PLANTED,
  JWKS_URL: PLANTED,
  TOKEN_URL: `ftp://${PLANTED}`,
  TOKEN_ALGORITHMS: `RS256 ${PLANTED}`,
  CLIENT_CLAIM: 'aud',
  SCOPE_SEARCH: ` ${PLANTED}`,
  PUBLIC_ORIGIN: `https://${PLANTED}.io/path`,
  BASE_PATH: `${PLANTED}/`,
  NETWORKS: `{"${PLANTED}": {}}`,
  GATEKEEPER_NETWORK_SLOTS: `{"${PLANTED}": 4711}`,
  MAINNETS: PLANTED,
  RPC_ENDPOINTS: `{"sepolia": ["${PLANTED}"]}`,
  KMS_CREDENTIALS: `{"aws": "${PLANTED}"}`,
  ETHEREUM_GATEKEEPER_KEY: PLANTED,
  SOLANA_GATEKEEPER_KEY: PLANTED,
  RETIRED_GATEKEEPERS: PLANTED,
  COMPROMISED_GATEKEEPERS: PLANTED,
  SUSPENDED_CLIENTS: `ä${PLANTED}`,
  EMERGENCY_NUMBER: PLANTED,
  CORS_ORIGINS: `https://${PLANTED}.io/path`,
  PUBLIC_HOSTS: `https://${PLANTED}`,
  LOG_SUCCESSES: '1.5',
  PASS_DAILY_CHANGES: '-1',
  DATABASE_MAX_BYTES: `10GB${PLANTED}`,
  FEED_DAYS: 30,
  SECOND_PERSON: `["${PLANTED}"]`,
  CONSOLE_CLIENT_ID: `ä${PLANTED}`,
} as const;

describe.each(Object.entries(WRONG))('a wrong %s', (variable, value) => {
  it('is named by the checks of health alone, and its value by nothing', async () => {
    for (const path of ['/health', '/health/ready']) {
      const answer = await healthOf({ [variable]: value }, path);
      const problem = expectProblem(answer, 'not_configured', { retryAfter: '60' });
      // A Worker that is not local needs more variables.
      const wrong = problem.errors?.filter(({ detail }) => detail === 'is wrong');
      expect(wrong).toEqual([{ pointer: `/${variable}`, detail: 'is wrong' }]);
      expect(shown(answer)).not.toMatch(/planted|4711/i);
    }
    const other = await unconfigured({ [variable]: value }).search({});
    expect(expectProblem(other, 'not_configured').errors).toBeUndefined();
    expect(shown(other)).not.toContain(variable);
    // Only the log says what is wrong.
    const [failed] = linesOf(errors, 'request.failed');
    expect(JSON.stringify(failed)).toContain(`${variable} `);
    expect(JSON.stringify(errors.mock.calls)).not.toMatch(/planted7f3a/i);
  });
});

describe('a missing variable', () => {
  it.each(['TOKEN_ISSUER', 'TOKEN_AUDIENCE', 'JWKS_URL', 'TOKEN_ALGORITHMS', 'CLIENT_CLAIM', 'SCOPE_ISSUE'])(
    'is named as missing: %s',
    async (variable) => {
      for (const value of [undefined, '']) {
        const { errors: named } = expectProblem(await healthOf({ [variable]: value }), 'not_configured');
        expect(named).toEqual([{ pointer: `/${variable}`, detail: 'is missing' }]);
      }
    },
  );

  it('is named beside all others, missing and wrong', async () => {
    const some = { TOKEN_ISSUER: undefined, JWKS_URL: '', FEED_DAYS: PLANTED, CORS_ORIGINS: '*' };
    const { errors: named = [] } = expectProblem(await healthOf(some), 'not_configured');
    expect(Object.fromEntries(named.map(({ pointer, detail }) => [pointer, detail]))).toEqual({
      '/TOKEN_ISSUER': 'is missing',
      '/JWKS_URL': 'is missing',
      '/FEED_DAYS': 'is wrong',
      '/CORS_ORIGINS': 'is wrong',
    });
  });

  it('is named beside at most nineteen others', async () => {
    const { errors: named } = expectProblem(await healthOf({ ...WRONG, SCOPE_ISSUE: '' }), 'not_configured');
    expect(named).toHaveLength(20);
  });
});

describe('every path of a Worker without a configuration', () => {
  const BROKEN = { TOKEN_ISSUER: PLANTED, CORS_ORIGINS: PAGE };
  const api = unconfigured(BROKEN);

  it('answers 503 with a request id, also one that does not exist', async () => {
    const paths = new Set([...ROUTES.map(({ path }) => path), '/nowhere', '/', '/admin', '/healthy', '/pass/%zz']);
    for (const path of paths)
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        const answer = await api.call(method, path);
        expectProblem(answer, 'not_configured', { retryAfter: '60' });
        expect(answer.headers.get('cache-control')).toBe('no-store');
        expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
        expect(answer.headers.get('strict-transport-security')).toBe('max-age=31536000');
      }
  });

  it('answers HEAD with the same headers and no body', async () => {
    for (const path of ['/health', '/pass', '/nowhere']) {
      const answer = await api.call('HEAD', path);
      expect([answer.status, answer.text]).toEqual([503, '']);
      expectProblemHeaders(answer);
    }
  });

  it('lets the pages of CORS_ORIGINS read the answer, and no other', async () => {
    const ask = (origin: string, method = 'GET', of = api) =>
      of.call(method, '/usage', { headers: { origin, 'access-control-request-method': 'GET' } });
    const answer = await ask(PAGE);
    expectProblem(answer, 'not_configured');
    expect(answer.headers.get('access-control-allow-origin')).toBe(PAGE);
    expect(answer.headers.get('access-control-expose-headers')).toContain('Retry-After');
    expect(answer.headers.get('vary')).toBe('Origin');
    const preflight = await ask(PAGE, 'OPTIONS');
    expect([preflight.status, preflight.text]).toEqual([204, '']);
    expect(preflight.headers.get('access-control-allow-methods')).toBe('GET, HEAD, POST, PATCH, DELETE');
    for (const method of ['GET', 'OPTIONS']) {
      const refused = await ask('https://evil.example', method);
      expectProblem(refused, 'not_configured');
      expect(refused.headers.get('access-control-allow-origin')).toBeNull();
      // Nobody knows the origins if their variable is wrong.
      const unknown = await ask(PAGE, method, unconfigured({ CORS_ORIGINS: `${PAGE}/path` }));
      expect(unknown.headers.get('access-control-allow-origin')).toBeNull();
    }
  });

  it.each(['http://localhost:8787', 'http://127.0.0.1:8787', 'http://[::1]:8787'])(
    'says at %s which command restores the variables',
    async (origin) => {
      const response = await workerWith(BROKEN)(new Request(`${origin}/pass`));
      expect(response.headers.get('strict-transport-security')).toBeNull();
      const { code, detail } = (await response.json()) as Record<string, string>;
      expect([code, detail]).toEqual(['not_configured', expect.stringContaining('`npm run dev`')]);
      expect(detail).toContain('`git checkout .dev.vars`');
    },
  );

  it.each(['https://localhost.acme.io', 'https://passes.acme.io'])('names no such command at %s', async (origin) => {
    const response = await workerWith(BROKEN)(new Request(`${origin}/health`));
    expect(await response.text()).not.toMatch(/npm|npx|git /);
  });
});

describe('the background of a Worker without a configuration', () => {
  const broken = { ...env, FEED_DAYS: PLANTED } as unknown as Env;
  const complaint = /^ConfigError: FEED_DAYS must be /;

  it('logs each schedule as failed', async () => {
    const controller = createScheduledController({ scheduledTime: new Date(), cron: '47 * * * *' });
    await worker.scheduled(controller, broken);
    expect(linesOf(errors, 'feed.deletion_failed')).toContainEqual(
      expect.objectContaining({ error: expect.stringMatching(complaint) }),
    );
  });

  it('retries each slice of the reconciliation', async () => {
    const [ack, retry] = [vi.fn(), vi.fn()];
    const message = { body: { kind: 'reconcile', night: 1 }, timestamp: new Date(), ack, retry };
    await worker.queue({ queue: 'gatepass-passes', messages: [message] } as never, broken);
    expect([ack.mock.calls.length, retry.mock.calls.length]).toEqual([0, 1]);
    expect(linesOf(errors, 'reconciliation.slice_failed')).toEqual([
      expect.objectContaining({ error: expect.stringMatching(complaint) }),
    ]);
  });
});
