import { expect, it } from 'vitest';
import { lineOf } from '../../../ops/doctor/check.ts';
import { checkPlainHttp, checkService } from '../../../ops/doctor/service.ts';
import { configOf } from '../../../src/config/parse-config.ts';
import { findFreePort } from '../../../tools/localnet/state/ports.ts';
import { startSpecialIssuer } from '../../special-issuer.ts';
import { startFaultProxy } from '../fault-proxy.ts';
import { pollUntil } from '../poll-until.ts';
import { respondWith } from './faulty-endpoints.ts';

/** The findings of `npm run doctor` about a deployed service. */

async function lineForStatus(status: number, location = ''): Promise<string> {
  const server = await startFaultProxy('', respondWith(status, { location }));
  const verdict = await checkPlainHttp(server.url).finally(server.stop);
  return lineOf({ name: 'x', verdict });
}

const REDIRECTS: readonly [number, string, string][] = [
  [301, 'https://api.acme.io/', 'ok    x: plain http redirects to https'],
  [301, 'http://api.acme.io/', 'FAIL  x: plain http answers 301: others could read a token that is sent there -> '],
];

it.each(REDIRECTS)(
  'the doctor accepts a redirect from plain http only if it leads to https: %i %s',
  async (status, location, line) => {
    expect(await lineForStatus(status, location)).toContain(line);
  },
);

it.each([
  [[403, 404, 426], (status: number) => `ok    x: plain http is refused (${status})`],
  [[200, 204, 401], (status: number) => `FAIL  x: plain http answers ${status}: others could read a token`],
  [
    [400, 429, 500, 503],
    (status: number) => `--    x: not checked: the answer on plain http is unknown (HTTP ${status})`,
  ],
])('the doctor gives the answers of plain http with these statuses one verdict: %j', async (statuses, line) => {
  for (const status of statuses) expect(await lineForStatus(status)).toContain(line(status));
});

it('the doctor accepts only a refused connection as proof that plain http is closed', async () => {
  const { issuer: server, stop } = await startSpecialIssuer();
  const { origin } = new URL(server.jwksUrl);
  await fetch(`${origin}/health`, { method: 'PUT', body: JSON.stringify({ hangs: true }) });
  const hanging = checkPlainHttp(origin);
  await pollUntil(
    async () => Number(await (await fetch(`${origin}/health?asked`)).text()),
    (requests) => requests > 0,
  );
  stop();
  // The label is too long for a host name, so the test queries no name server.
  const [refused, ...unknown] = await Promise.all(
    [
      checkPlainHttp(`http://127.0.0.1:${await findFreePort()}`),
      hanging,
      checkPlainHttp(`http://${'a'.repeat(64)}.invalid`),
    ].map(async (verdict) => lineOf({ name: 'x', verdict: await verdict })),
  );
  expect(refused).toBe('ok    x: nothing answers on plain http (ECONNREFUSED)');
  expect(unknown).toEqual([
    expect.stringMatching(
      /^-- {4}x: not checked: the answer on plain http is unknown \((UND_ERR_SOCKET|ECONNRESET)\)$/,
    ),
    '--    x: not checked: the answer on plain http is unknown (ENOTFOUND)',
  ]);
});

const CONFIG = configOf({
  DEPLOYMENT: 'local',
  TOKEN_ISSUER: 'https://issuer.acme.io/',
  TOKEN_AUDIENCE: 'a',
  JWKS_URL: 'https://issuer.acme.io/jwks',
  TOKEN_ALGORITHMS: 'RS256',
  ...{ CLIENT_CLAIM: 'client_id', SCOPE_CLAIM: 'scope' },
  ...{ SCOPE_SEARCH: 'search', SCOPE_ISSUE: 'issue', SCOPE_UPDATE: 'update', SCOPE_WEBHOOK: 'webhook' },
});

it.each([
  [
    'https://issuer.acme.io/',
    ['search', 'issue', 'update', 'webhook', 'manage:rules'],
    'ok    service, issuer: it accepts tokens of https://issuer.acme.io/; its issuer and scopes match this configuration',
  ],
  [
    'https://issuer.acme.io',
    ['search', 'issue', 'update', 'webhook', 'manage:rules'],
    'FAIL  service, issuer: it accepts tokens of https://issuer.acme.io, but TOKEN_ISSUER is https://issuer.acme.io/ -> deploy this configuration',
  ],
  [
    'https://issuer.acme.io/',
    ['search', 'update', 'issue\u001b[2J', 'webhook', 'manage:rules'],
    'FAIL  service, issuer: its scopes are search update issue [2J webhook manage:rules, but SCOPE_SEARCH, SCOPE_ISSUE, SCOPE_UPDATE, SCOPE_WEBHOOK and SCOPE_RULES are search issue update webhook manage:rules -> deploy this configuration',
  ],
  [
    'https://issuer.acme.io/',
    undefined,
    'FAIL  service, issuer: /.well-known/oauth-protected-resource answers 200, but not as Gatepass does ->',
  ],
])(
  'the doctor compares the issuer %s and the scopes %j of the deployed service with the configuration',
  async (issuer, scopes, line) => {
    const { issuer: server, stop } = await startSpecialIssuer();
    const { origin } = new URL(server.jwksUrl);
    const body = JSON.stringify({ resource: origin, authorization_servers: [issuer], scopes_supported: scopes });
    const said = { method: 'PUT', body: JSON.stringify({ body }) };
    await fetch(`${origin}/.well-known/oauth-protected-resource`, said);
    const findings = await checkService(origin, CONFIG, true).finally(stop);
    expect(findings.map(lineOf)[1]).toContain(line);
  },
);

it('the doctor fails a service that reports another origin', async () => {
  const { issuer: server, stop } = await startSpecialIssuer();
  const { origin } = new URL(server.jwksUrl);
  const { tokens } = CONFIG;
  const metadata = { authorization_servers: [tokens.issuer], scopes_supported: Object.values(tokens.scopes) };
  const body = JSON.stringify({ ...metadata, resource: 'https://other.acme.io' });
  const said = { method: 'PUT', body: JSON.stringify({ body }) };
  await fetch(`${origin}/.well-known/oauth-protected-resource`, said);
  const findings = await checkService(origin, CONFIG, true).finally(stop);
  expect(findings.map(lineOf)[1]).toContain(
    `FAIL  service, issuer: it names https://other.acme.io as its URL, not ${origin} -> set PUBLIC_ORIGIN`,
  );
});
