import { env } from 'cloudflare:workers';
import type { GenericSchema } from 'valibot';
import type { Route } from '../../../src/http/route.ts';
import { type PassKey, passName } from '../../../src/pass/pass.ts';
import { EXAMPLE } from '../../../tools/openapi/fields.ts';
import { ROUTES } from '../../../tools/openapi/routes.ts';
import { idOf } from '../store/rows.ts';
import type { Answer } from './answer.ts';
import type { Api } from './api.ts';

/** Calls of all routes: paths with values, and valid bodies and queries. */

export const nameOf = ({ method, path }: Route) => `${method} ${path}`;

/** Returns the path parameters of a pass and of a file. */
export const paramsOf = ({ gatekeeperNetwork, chain, network, wallet }: PassKey) => ({
  gatekeeperNetwork,
  chain,
  chainNetwork: network,
  wallet,
  file: 'icon.svg',
  download: 'index.json',
  webhook: EXAMPLE.webhookId,
  subject: 'nobody',
  client: 'nobody',
});

/** Returns the path with these parameters. Throws if one is missing. */
export function pathOf({ path }: Pick<Route, 'path'>, params: Readonly<Record<string, string>>): string {
  return path.replaceAll(/:(\w+)\+?/g, (_, name: string) => {
    const value = params[name];
    if (value === undefined) throw new Error(`no parameter is given for :${name} of ${path}`);
    return value;
  });
}

const UPDATES = [
  { state: 'FROZEN' },
  { expiryTimestamp: 4_000_000_000 },
  { state: 'ACTIVE', expiryTimestamp: 4_100_000_000 },
  { reference: 'order-4711' },
  { reference: null, state: 'ACTIVE' },
  { subject: 'person-4711' },
  { subject: null },
  { state: 'REVOKED' },
];
const itemOf = ({ chain: type, network, wallet }: PassKey) => ({ chain: { type, network }, walletAddress: wallet });
const BODIES: Readonly<Record<string, (key: PassKey) => readonly object[]>> = {
  'POST /pass': ({ wallet, chain, network }) => [
    {},
    { limit: 100, skip: 3 },
    { limit: 1, after: idOf(7) },
    { filter: { walletAddress: wallet } },
    { filter: { walletAddress: wallet, state: 'ACTIVE' } },
    { filter: { state: 'FROZEN' } },
    { filter: { reference: 'order-4711' } },
    { filter: { subject: 'person-4711' } },
    { filter: { chain: { type: chain, network } } },
    { filter: { chain: { type: chain, network }, state: 'ACTIVE' } },
    { filter: { chain: { type: chain, network }, walletAddress: wallet } },
  ],
  'POST /pass/:chain/:chainNetwork': ({ wallet }) => [
    { walletAddress: wallet },
    { walletAddress: wallet, expiryTimestamp: 4_000_000_000 },
    { walletAddress: wallet, reference: 'order-4711' },
    { walletAddress: wallet, subject: 'person-4711' },
  ],
  'PATCH /pass/:chain/:chainNetwork/:wallet': () => UPDATES,
  'POST /passes': (key) => [{ items: [itemOf(key)] }, { items: [{ ...itemOf(key), expiryTimestamp: 4_000_000_000 }] }],
  'PATCH /passes': (key) => UPDATES.map((update) => ({ items: [{ ...itemOf(key), ...update }] })),
  'PATCH /subjects/:subject': () => [{ expiryTimestamp: 4_000_000_000 }, { state: 'FROZEN' }],
  'PATCH /rules': () => [{ subjectMaxPasses: 1_000 }, { subjectMaxPassesPerNetwork: null, subjectRequired: false }],
  'POST /webhooks': () => [{ url: 'http://127.0.0.1:1/' }, { url: 'http://127.0.0.1:1/', types: ['pass.issued'] }],
  'PATCH /webhooks/:webhook': () => [
    { description: 'new' },
    { status: 'disabled' },
    { types: null, status: 'enabled' },
  ],
  'POST /webhooks/:webhook/replay': () => [{ after: 0 }],
  'POST /sandbox/clock': () => [{ advanceSeconds: 60 }],
  'POST /sandbox/trigger': ({ chain: type, network }) => [
    { type: 'pass.issued' },
    { type: 'pass.frozen', chain: { type, network } },
  ],
  'POST /admin/webhooks': ({ gatekeeperNetwork }) => [{ disable: { gatekeeperNetwork, id: EXAMPLE.webhookId } }],
  'POST /admin/abandon': ({ chain, network, gatekeeperNetwork }) => [{ chain, network, gatekeeperNetwork }],
  'POST /admin/withdraw': ({ gatekeeperNetwork }) => [{ client: 'nobody', gatekeeperNetwork }, { gatekeeperNetwork }],
  'POST /admin/revocations': ({ wallet: walletAddress, ...key }) => [
    { passes: [{ ...key, walletAddress }], reason: 'test', dryRun: true },
    { wallets: [{ ...key, walletAddress }], reason: 'test' },
  ],
  'POST /admin/approvals': () => [{ confirm: 'of no action' }, { reject: 'of no action' }],
  'POST /admin/reconciliation': ({ network, gatekeeperNetwork }) => [{ accept: { gatekeeperNetwork, network } }],
  'POST /admin/redrive': ({ wallet, ...key }) => [
    { pass: { ...key, walletAddress: wallet } },
    { all: 'stuck', olderThan: 0, after: '1:x' },
    { deadLetter: 'of no message' },
    { deadLetters: 'all' },
  ],
  // The shard is not bound, so a body with another valid text in any field is refused.
  'POST /admin/partners': ({ gatekeeperNetwork, network }) => [
    {
      ...{ clientId: 'new', name: 'New', gatekeeperNetwork, shard: 'DB_9', networks: [network], reason: 'a test' },
      ...{ dailyIssuances: 5, dailyChanges: null, passLifetime: 60, organization: 'org' },
    },
  ],
  'PATCH /admin/partners/:client': () => [
    { status: 'suspended', reason: 'a test' },
    { dailyChanges: 5, networks: null },
  ],
  'POST /admin/partners/import': ({ gatekeeperNetwork }) => [
    {
      gatekeeper_networks: [{ key: gatekeeperNetwork, shard: 'DB_9', public_verify: 0, contracts: '{}' }],
      partners: [],
    },
  ],
  'PATCH /admin/gatekeeper-networks/:gatekeeperNetwork': () => [{ publicVerify: true }],
  'PATCH /admin/gatekeeper-networks/:gatekeeperNetwork/rules': () => [{ subjectMaxPasses: 1_000 }],
  'POST /admin/audit': () => [{ command: 'restore', environment: 'staging', arguments: ['--shard', 'DB'] }],
  // The shard is not bound, so nothing moves.
  'POST /admin/moves': ({ gatekeeperNetwork }) => [
    { gatekeeperNetwork, to: 'DB_9', reason: 'a test' },
    { gatekeeperNetwork, to: 'DB_9', cancel: true },
  ],
  'POST /admin/rebuild': (key) => [
    { shard: 'DB', objects: [String(env.PASSES.idFromName(passName(key)))] },
    { shard: 'DB', start: true, objects: [], position: null },
  ],
};

/** Returns valid bodies of the route about that pass. Throws for an unknown route. */
export function bodiesOf(route: Route, key: PassKey): readonly (object | undefined)[] {
  if (!('body' in route) || route.body === undefined) return [undefined];
  const bodies = BODIES[nameOf(route)];
  if (bodies === undefined) throw new Error(`no valid body is known for ${nameOf(route)}`);
  return bodies(key);
}

const QUERIES: Readonly<Record<string, string>> = {
  limit: '2',
  after: '1:x',
  olderThan: '60',
  month: '2026-11',
  subjects: 'true',
  reason: 'case 4711',
};
const AUDIT_QUERY = {
  after: '0',
  pass: EXAMPLE.id,
  client: 'acme',
  action: 'pass.freeze',
  from: '2026-11-20',
  to: '2026-11-20T11:03:45Z',
  order: 'newest',
};
const QUERIES_OF_ROUTES: Readonly<Record<string, typeof QUERIES>> = {
  'GET /subjects/:subject': { after: EXAMPLE.id },
  'GET /webhooks/:webhook/deliveries': { after: '0' },
  'GET /admin/webhooks': { after: EXAMPLE.gatekeeperNetwork },
  'GET /admin/partners': { after: EXAMPLE.clientCursor },
  'GET /admin/partners/export': { after: EXAMPLE.clientCursor },
  'GET /admin/usage': { after: EXAMPLE.gatekeeperNetwork },
  'GET /events': { after: '0', type: 'pass.issued,pass.expired' },
  'GET /audit': AUDIT_QUERY,
  'GET /admin/audit': { ...AUDIT_QUERY, trail: EXAMPLE.gatekeeperNetwork },
};

/** Returns a query with every parameter of the route, or an empty text if it has none. */
export function queryOf(route: Route): string {
  const { entries = {} } = ('query' in route ? route.query : {}) as Partial<GenericSchema & { entries: object }>;
  const values = { ...QUERIES, ...QUERIES_OF_ROUTES[nameOf(route)] };
  return new URLSearchParams(Object.keys(entries).map((name) => [name, values[name] ?? ''])).toString();
}

export interface Call {
  readonly route: Route;
  /** Includes the query. */
  readonly path: string;
  /** JSON. */
  readonly body: string | undefined;
}

/** Returns one call of every route for partners with real passes, for each of its bodies, about that pass. */
export function callsAbout(key: PassKey): Call[] {
  const ofPartners = ROUTES.filter(
    (route) => route.scope !== 'public' && route.scope !== 'admin' && !('sandbox' in route),
  );
  return ofPartners.flatMap((route) =>
    bodiesOf(route, key).map((body) => {
      const path = [pathOf(route, paramsOf(key)), queryOf(route)].filter(Boolean).join('?');
      return { route, path, body: JSON.stringify(body) };
    }),
  );
}

export function sendCall(api: Api, { route, path, body }: Call): Promise<Answer> {
  return api.call(
    route.method,
    path,
    body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } },
  );
}
