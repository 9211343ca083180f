import { env } from 'cloudflare:workers';
import * as v from 'valibot';
import { describe, expect, inject, it } from 'vitest';
import { type Route, rightsOf } from '../../../src/http/route.ts';
import { newSandbox } from '../../../src/network/sandbox.ts';
import { operationOf } from '../../../tools/openapi/operations.ts';
import { ROUTES } from '../../../tools/openapi/routes.ts';
import { expectProblem, type ProblemCode } from '../../problem.ts';
import { aWebhook } from '../webhook-object/a-webhook.ts';
import { Api, enablePublicVerify, QUEUE_THAT_FAILS, register, WITHOUT_LIMITS, workerWith } from './api.ts';
import { aToken, type Claims, newClientId, newGatekeeperNetwork, TRUSTING } from './issuer.ts';
import { nameOf, pathOf } from './route-calls.ts';
import { aWallet } from './wallets.ts';

// `/health/ready` asks every database that is bound.

/** The access rules: every kind of caller calls every route. The expected reply follows from the route's scope. */

const OPERATORS = inject('localnet').operator.audience;
const {
  SCOPE_SEARCH: search,
  SCOPE_ISSUE: issue,
  SCOPE_UPDATE: update,
  SCOPE_WEBHOOK: webhook,
  SCOPE_ADMIN: admin,
  SCOPE_ADMIN_READ: read,
  SCOPE_ADMIN_ACT: act,
  SCOPE_ADMIN_PARTNERS: partners,
  SCOPE_METRICS: metrics,
} = env as Env;
const SCOPES: Readonly<Record<string, string>> = {
  search,
  issue,
  update,
  webhook,
  rules: 'manage:rules',
  admin,
  read,
  act,
  partners,
  metrics,
};
const EVERYTHING = Object.values(SCOPES);

const owner = { clientId: newClientId(), gatekeeperNetwork: newGatekeeperNetwork() };
const stranger = { clientId: newClientId(), gatekeeperNetwork: newGatekeeperNetwork() };
const sandboxed = { clientId: newClientId(), gatekeeperNetwork: newSandbox() };
const suspended = { clientId: newClientId(), gatekeeperNetwork: owner.gatekeeperNetwork, status: 'suspended' } as const;
for (const row of [owner, stranger, sandboxed, suspended]) await register(row);
await enablePublicVerify(owner.gatekeeperNetwork);

interface Caller {
  readonly who: string;
  /** The Authorization header; an empty text omits it. */
  readonly authorization: string;
  /** The owner of the token. */
  readonly token: 'missing' | 'invalid' | "partner's" | "operator's";
  readonly scopes: readonly string[];
  /** The problem that a partner with this token gets. */
  readonly partner?: 'client_unknown' | 'partner_suspended';
  /** Whether the pass belongs to the caller's gatekeeper network. */
  readonly owns?: boolean;
  readonly isInSandbox?: boolean;
}

const bearer = async (claims: Claims) => `Bearer ${await aToken(claims)}`;

async function aPartnerCaller(who: string, scopes: readonly string[], more: Partial<Caller> = {}): Promise<Caller> {
  const other = more.isInSandbox ? sandboxed : stranger;
  const { clientId } = more.owns ? owner : more.partner === 'partner_suspended' ? suspended : other;
  const client_id = more.partner === 'client_unknown' ? newClientId() : clientId;
  const authorization = await bearer({ client_id, scope: scopes.join(' ') });
  return { who, authorization, token: "partner's", scopes, ...more };
}

async function anOperatorCaller(who: string, scopes: readonly string[]): Promise<Caller> {
  const authorization = await bearer({ client_id: 'ops', aud: OPERATORS, scope: scopes.join(' ') });
  return { who, authorization, token: "operator's", scopes };
}

async function aForeignCaller(aud: string): Promise<Caller> {
  const claims = { iss: 'https://other.example', aud, client_id: owner.clientId, scope: EVERYTHING.join(' ') };
  const who = `a caller with a token of another issuer for ${aud}`;
  return { who, authorization: await bearer(claims), token: 'invalid', scopes: EVERYTHING };
}

const without = (scope: string) => EVERYTHING.filter((each) => each !== scope);

const CALLERS = await Promise.all<Caller>([
  { who: 'a caller without a token', authorization: '', token: 'missing', scopes: [] },
  { who: 'a caller with another scheme', authorization: 'Basic YTpi', token: 'missing', scopes: [] },
  { who: 'a caller with an invalid token', authorization: 'Bearer rubbish', token: 'invalid', scopes: [] },
  aForeignCaller(env.TOKEN_AUDIENCE),
  aForeignCaller(OPERATORS),
  ...EVERYTHING.map((scope) => aPartnerCaller(`a partner with only ${scope}`, [scope])),
  ...EVERYTHING.map((scope) => aPartnerCaller(`a partner with every scope except ${scope}`, without(scope))),
  aPartnerCaller('a partner with no scope', []),
  aPartnerCaller(
    'a partner with scopes that only resemble valid ones',
    EVERYTHING.flatMap((s) => [`x${s}`, s.toUpperCase()]),
  ),
  aPartnerCaller('a partner of another gatekeeper network', EVERYTHING),
  aPartnerCaller('a partner in a sandbox', EVERYTHING, { isInSandbox: true }),
  aPartnerCaller('a client that is no partner', EVERYTHING, { partner: 'client_unknown' }),
  aPartnerCaller('a suspended partner that owns the pass', EVERYTHING, { partner: 'partner_suspended' }),
  aPartnerCaller('the partner that owns the pass', EVERYTHING, { owns: true }),
  ...EVERYTHING.map((scope) => anOperatorCaller(`an operator with only ${scope}`, [scope])),
  ...EVERYTHING.map((scope) => anOperatorCaller(`an operator with every scope except ${scope}`, without(scope))),
  anOperatorCaller('an operator with every scope', EVERYTHING),
]);

type Expected = readonly [status: number, code?: ProblemCode];

/** Returns the scopes of which the token needs one. The refusal names the first. */
const scopesOf = (route: Route) =>
  (route.scope === 'admin' ? [...rightsOf(route), 'admin'] : [route.scope]).map((each) => SCOPES[each] as string);

/** Returns the status of the first declared reply. Of the routes for browsers, which declare none, `/` redirects. */
const successOf = (route: Route) =>
  Number(
    Object.keys(operationOf(route)?.replies ?? { [['/', '/docs'].includes(route.path) ? 302 : 200]: 'browser' })[0],
  );

/** Derives the reply from the route and its operation. Allowed callers send no body. */
function expected(route: Route, { token, scopes, partner, owns, isInSandbox }: Caller): Expected {
  if (route.scope === 'public') return [successOf(route)];
  if (token === 'missing') return [401, 'token_missing'];
  if (token !== (route.scope === 'admin' ? "operator's" : "partner's")) return [401, 'token_invalid'];
  if (!scopesOf(route).some((scope) => scopes.includes(scope))) return [403, 'insufficient_scope'];
  if (partner !== undefined) return [403, partner];
  if ('sandbox' in route && !isInSandbox) return [404, 'not_found'];
  if (route.body !== undefined && !v.is(route.body, {})) return [400, 'invalid_request'];
  if (route.path.includes('/:subject')) return [404, 'subject_not_found'];
  if (route.path.includes('/:webhook') && !owns) return [404, 'webhook_not_found'];
  if (route.scope !== 'admin' && route.path.includes('/:wallet') && !owns) return [404, 'pass_not_found'];
  return [successOf(route)];
}

/** RFC 6750 §3: values are quoted strings, and a request without a token gets no error code. */
const CHALLENGES: Readonly<Record<string, RegExp>> = {
  token_missing: /^Bearer realm="gatepass"(, resource_metadata="[!#-[\]-~]+")?$/,
  token_invalid: /^Bearer realm="gatepass", error="invalid_token", error_description="[ !#-[\]-~]+"(, \w+="[^"\\]+")*$/,
};
const FORBIDDEN = /^Bearer realm="gatepass", error="insufficient_scope"(, \w+="[^"\\]+")*$/;

const send = workerWith({ ...TRUSTING, ...WITHOUT_LIMITS, PASS_QUEUE: QUEUE_THAT_FAILS });
const wallet = aWallet();
const PARAMS = {
  gatekeeperNetwork: owner.gatekeeperNetwork,
  chain: 'ethereum',
  chainNetwork: 'sepolia',
  wallet,
  file: 'icon.svg',
  download: 'index.json',
  client: owner.clientId,
  subject: 'nobody',
};
const issued = await new Api(await aToken({ client_id: owner.clientId }), send).issue('ethereum/sepolia', wallet);
expect(issued.status).toBe(202);

/** Every GET is also tested with HEAD. */
const CALLS = ROUTES.flatMap((route) =>
  (route.method === 'GET' ? ['GET', 'HEAD'] : [route.method]).map((method) => ({ route, method, path: route.path })),
);
const made: string[] = [];

describe.each(CALLS)('access to $method $path', ({ route, method }) => {
  it.each(CALLERS.map((caller) => [expected(route, caller).join(' '), caller.who, caller] as const))(
    'replies %s to %s',
    async (_, __, caller) => {
      made.push(`${method} ${route.path}`);
      const { authorization } = caller;
      const headers: HeadersInit = authorization === '' ? {} : { authorization };
      // Each call has a webhook of its own, because one of them deletes it.
      const params = { ...PARAMS, webhook: route.path.includes('/:webhook') ? (await aWebhook(owner)).id : '' };
      const answer = await new Api(undefined, send).call(method, pathOf(route, params), { headers });
      const [status, code] = expected(route, caller);
      expect(answer.status).toBe(status);
      if (method === 'HEAD') expect(answer.text).toBe('');
      else if (code !== undefined) expectProblem(answer, code);

      const challenge = answer.headers.get('www-authenticate');
      if (status !== 401 && status !== 403) return expect(challenge).toBeNull();
      expect(challenge).toMatch(CHALLENGES[code as string] ?? FORBIDDEN);
      // RFC 6750 §3.1: the challenge names the required scope.
      if (code === 'insufficient_scope') expect(challenge).toContain(`scope="${scopesOf(route)[0]}"`);
    },
  );
});

it('calls every route of the route table as every caller', () => {
  const calls = Map.groupBy(made, (call) => call);
  for (const route of ROUTES) expect(calls.get(nameOf(route)), nameOf(route)).toHaveLength(CALLERS.length);
});

it('requires the documented scope on every route, and leaves only the documented routes public', () => {
  const scopes = ROUTES.map(
    (route) => `${nameOf(route)}: ${route.scope === 'admin' ? rightsOf(route).join(' or ') : route.scope}`,
  );
  expect(scopes.toSorted()).toEqual(
    [
      'GET /health: public',
      'GET /health/ready: public',
      'GET /.well-known/oauth-protected-resource: public',
      'GET /: public',
      'GET /docs: public',
      'GET /docs/:file+: public',
      'GET /downloads/:download: public',
      'GET /console: public',
      'GET /console/:file: public',
      'GET /openapi.json: public',
      'POST /pass: search',
      'POST /pass/:chain/:chainNetwork: issue',
      'GET /pass/:chain/:chainNetwork/:wallet: search',
      'PATCH /pass/:chain/:chainNetwork/:wallet: update',
      'DELETE /pass/:chain/:chainNetwork/:wallet: update',
      'POST /pass/:chain/:chainNetwork/:wallet/sync: update',
      'POST /passes: issue',
      'PATCH /passes: update',
      'GET /subjects/:subject: search',
      'PATCH /subjects/:subject: update',
      'DELETE /subjects/:subject: update',
      'GET /rules: search',
      'PATCH /rules: rules',
      'GET /events: search',
      'GET /audit: search',
      'GET /usage: search',
      'GET /sandbox/clock: search',
      'POST /sandbox/clock: update',
      'POST /sandbox/trigger: issue',
      'GET /verify/:gatekeeperNetwork/:chain/:chainNetwork/:wallet: public',
      'GET /verdict-keys: public',
      'POST /webhooks: webhook',
      'GET /webhooks: webhook',
      'GET /webhooks/:webhook: webhook',
      'PATCH /webhooks/:webhook: webhook',
      'DELETE /webhooks/:webhook: webhook',
      'POST /webhooks/:webhook/test: webhook',
      'POST /webhooks/:webhook/rotate-secret: webhook',
      'POST /webhooks/:webhook/replay: webhook',
      'GET /webhooks/:webhook/deliveries: webhook',
      'GET /admin/webhooks: read',
      'POST /admin/webhooks: act',
      'GET /admin/openapi.json: read',
      'GET /admin/signers: read',
      'GET /admin/audit: read',
      'POST /admin/audit: act',
      'GET /admin/approvals: read',
      'POST /admin/approvals: act',
      'POST /admin/revocations: act',
      'GET /admin/watchers: read',
      'GET /admin/metrics: metrics',
      'GET /admin/usage: read',
      'GET /admin/passes/:chain/:chainNetwork/:wallet: read',
      'GET /admin/stuck: read',
      'POST /admin/redrive: act',
      'POST /admin/abandon: act',
      'POST /admin/withdraw: act',
      'GET /admin/dead-letters: read',
      'GET /admin/reconciliation: read',
      'POST /admin/reconciliation: act',
      'POST /admin/rebuild: act',
      'GET /admin/moves: read',
      'POST /admin/moves: act',
      'GET /admin/partners: read or partners',
      'GET /admin/partners/export: read or partners',
      'GET /admin/partners/:client: read or partners',
      'POST /admin/partners: partners',
      'POST /admin/partners/import: partners',
      'PATCH /admin/partners/:client: partners',
      'PATCH /admin/gatekeeper-networks/:gatekeeperNetwork/rules: partners',
      'PATCH /admin/gatekeeper-networks/:gatekeeperNetwork: partners',
    ].toSorted(),
  );
});
