import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { newSandbox } from '../../../src/network/sandbox.ts';
import type { PassKey } from '../../../src/pass/pass.ts';
import { FEED_TYPES } from '../../../src/pass/vocabulary.ts';
import { publishPasses } from '../../../src/store/passes.ts';
import { ROUTES } from '../../../tools/openapi/routes.ts';
import NETWORKS from '../../vectors/networks.json';
import { aFedProjection, walletOf } from '../store/rows.ts';
import { holdAlarms } from '../without-alarms.ts';
import { aPass, aPassKey, STATES } from './a-pass.ts';
import type { Answer } from './answer.ts';
import { WITHOUT_LIMITS } from './api.ts';
import { itemOf } from './bulk.ts';
import { aPartner, newGatekeeperNetwork } from './issuer.ts';
import { forget, recordedWorker } from './recorded-bindings.ts';
import { nameOf } from './route-calls.ts';

/** The work that the costliest request of each partner route makes, beside the table in the documents. */

const asked: string[] = [];
const LIMITS = Object.fromEntries(
  Object.keys(WITHOUT_LIMITS).map((name) => {
    const limit = async () => {
      asked.push(name);
      return { success: true };
    };
    return [name, { limit }];
  }),
);
const { send, uses } = recordedWorker(LIMITS);
const gatekeeperNetwork = newGatekeeperNetwork();
const api = await aPartner({ gatekeeperNetwork, send, dailyIssuances: 100_000, dailyChanges: 100_000 });
const sandbox = await aPartner({
  gatekeeperNetwork: newSandbox(),
  send,
  dailyIssuances: 100_000,
  dailyChanges: 100_000,
});
const SEPOLIA = { type: 'ethereum', network: 'sepolia' };
/** The node that the costliest sync asks. The signers of other networks ask theirs by their alarms. */
const DEVNET = inject('localnet').rpc.devnet;
const PASSES = 11_000;
const EVENTS = 2_000;

beforeAll(async () => {
  for (let from = 0; from < PASSES; from += 1_000) {
    const passes = Array.from({ length: 1_000 }, (_, index) => {
      const number = from + index;
      const state = STATES[number % STATES.length] as (typeof STATES)[number];
      return aFedProjection(number, number < EVENTS ? ['pass.issued'] : [], { gatekeeperNetwork, state });
    });
    await publishPasses(env.DB, passes);
  }
  await env.DB.batch([
    env.DB.prepare('UPDATE gatekeeper_networks SET public_verify = 1 WHERE key = ?').bind(gatekeeperNetwork),
    env.DB.prepare(
      `INSERT INTO usage (gatekeeper_network, network, month, active)
       SELECT ?1, value, '2026-11', 1 FROM json_each(?2) WHERE true ON CONFLICT DO NOTHING`,
    ).bind(gatekeeperNetwork, JSON.stringify(NETWORKS.map(({ network }) => network))),
  ]);
  // The values that are cached from then on: the partner's row, the keys, and the size of the database.
  await api.search({});
  await api.issue('ethereum/sepolia', aPassKey({ gatekeeperNetwork }).wallet);
  expect((await sandbox.post('/sandbox/trigger', { type: 'pass.issued' })).status).toBe(202);
});

const active = () => aPass({ gatekeeperNetwork });
const at = ({ chain, network, wallet }: PassKey) => `/pass/${chain}/${network}/${wallet}`;
const json = (method: string, path: string, body: object) =>
  api.call(method, path, { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
const types = FEED_TYPES.filter((type) => type !== 'pass.issued').join();
const hundred = async (make: () => PassKey | Promise<PassKey>) => Promise.all(Array.from({ length: 100 }, make));
/** Makes a subject with a hundred passes. */
const aSubject = async () => {
  const subject = crypto.randomUUID();
  const items = (await hundred(() => aPassKey({ gatekeeperNetwork }))).map((key) => itemOf(key, { subject }));
  expect((await json('POST', '/passes', { items })).status).toBe(200);
  return subject;
};
const aUrl = () => `${inject('webhookReceiver')}/${crypto.randomUUID()}`;
const aWebhook = async () => JSON.parse((await api.post('/webhooks', { url: aUrl() })).text).id as string;
let webhook: Promise<string> | undefined;
const ourWebhook = () => {
  webhook ??= aWebhook();
  return webhook;
};
const ofWebhook = (method: string, path: string, body?: object) => async () => {
  const whole = `/webhooks/${await ourWebhook()}${path}`;
  return () => (body === undefined ? api.call(method, whole) : json(method, whole, body));
};
const search = (body: object) => async () => () => api.search(body);
const get = (path: string) => async () => () => api.call('GET', path);

/** Prepares a request, and returns the function that sends it. The name is that of the row in the document. */
const REQUESTS: Readonly<Record<string, () => Promise<() => Promise<Answer>>>> = {
  'POST /pass': search({ limit: 100, skip: 100, filter: { chain: SEPOLIA } }),
  'POST /pass, large': search({ limit: 100, skip: 10_000, filter: { chain: SEPOLIA }, count: true }),
  'POST /pass/:chain/:chainNetwork': async () => {
    const { wallet } = aPassKey({ gatekeeperNetwork });
    return () => api.issue('ethereum/sepolia', wallet);
  },
  'GET /pass/:chain/:chainNetwork/:wallet': async () => {
    const key = await aPass({ gatekeeperNetwork, place: 'object' });
    return () => api.call('GET', at(key));
  },
  'GET /pass/:chain/:chainNetwork/:wallet, large': async () => {
    const key = await aPass({ gatekeeperNetwork, state: 'REQUESTED', place: 'object' });
    // Its change has just begun, and does not count as waiting before some seconds are over.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 15_000 });
    return async () => {
      const answer = await api.call('GET', at(key));
      vi.useRealTimers();
      return answer;
    };
  },
  'PATCH /pass/:chain/:chainNetwork/:wallet': async () => {
    const key = await active();
    return () => json('PATCH', at(key), { state: 'FROZEN' });
  },
  'DELETE /pass/:chain/:chainNetwork/:wallet': async () => {
    const key = await active();
    return () => api.call('DELETE', at(key));
  },
  'POST /pass/:chain/:chainNetwork/:wallet/sync': async () => {
    const key = await aPass({ gatekeeperNetwork, chain: 'solana' });
    return () => api.call('POST', `${at(key)}/sync`);
  },
  'POST /passes': async () => {
    const items = (await hundred(() => aPassKey({ gatekeeperNetwork }))).map((key) => itemOf(key));
    return () => json('POST', '/passes', { items });
  },
  'PATCH /passes': async () => {
    const items = (await hundred(active)).map((key) =>
      itemOf(key, { state: 'FROZEN', expiryTimestamp: 4_000_000_000 }),
    );
    return () => json('PATCH', '/passes', { items });
  },
  'GET /subjects/:subject, large': async () => {
    const subject = await aSubject();
    return () => api.call('GET', `/subjects/${subject}?limit=100`);
  },
  'PATCH /subjects/:subject': async () => {
    const subject = await aSubject();
    return () => json('PATCH', `/subjects/${subject}`, { state: 'FROZEN' });
  },
  'DELETE /subjects/:subject': async () => {
    const subject = await aSubject();
    return () => api.call('DELETE', `/subjects/${subject}`);
  },
  'GET /rules': get('/rules'),
  'GET /events': get('/events?after=0&limit=100'),
  'GET /events, large': get(`/events?after=0&limit=1000&type=${types}`),
  'GET /audit': get('/audit?limit=1000&client=nobody'),
  'GET /usage': get('/usage?month=2026-11'),
  'GET /verify/:gatekeeperNetwork/:chain/:chainNetwork/:wallet': async () => {
    const { chain, network, wallet } = await active();
    await api.call('GET', `/verify/${gatekeeperNetwork}/${chain}/${network}/${walletOf(1)}`);
    return () => api.call('GET', `/verify/${gatekeeperNetwork}/${chain}/${network}/${wallet}`);
  },
  'GET /sandbox/clock': async () => () => sandbox.call('GET', '/sandbox/clock'),
  'POST /sandbox/clock': async () => () => sandbox.post('/sandbox/clock', { advanceSeconds: 60 }),
  'POST /sandbox/trigger': async () => () => sandbox.post('/sandbox/trigger', { type: 'pass.frozen' }),
  'POST /webhooks': async () => {
    await ourWebhook();
    return () => api.post('/webhooks', { url: aUrl() });
  },
  'GET /webhooks': get('/webhooks'),
  'GET /webhooks/:webhook': ofWebhook('GET', ''),
  'PATCH /webhooks/:webhook': ofWebhook('PATCH', '', { url: aUrl() }),
  'POST /webhooks/:webhook/test': ofWebhook('POST', '/test'),
  'POST /webhooks/:webhook/rotate-secret': ofWebhook('POST', '/rotate-secret'),
  'POST /webhooks/:webhook/replay': ofWebhook('POST', '/replay', { after: EVENTS - 1 }),
  'GET /webhooks/:webhook/deliveries': ofWebhook('GET', '/deliveries?limit=1000'),
  'DELETE /webhooks/:webhook': ofWebhook('DELETE', ''),
  // The last one: the next request reads the row of the partner again.
  'PATCH /rules': async () => () => json('PATCH', '/rules', { subjectMaxPasses: 1_000 }),
};

const [PERFORMANCE = '', WRANGLER = ''] = Object.values(
  import.meta.glob<string>(['../../../docs/performance.md', '../../../wrangler.toml'], {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
);

interface Row {
  readonly name: string;
  readonly perSecond: number;
  readonly statements: number;
  readonly read: number;
  readonly written: number;
  readonly calls: number;
  readonly nodes: number;
}

/** The rows of the table in the document. */
const ROWS: readonly Row[] = [...PERFORMANCE.matchAll(/^\| `([A-Z]+ \/[^`]*)`(, large)? \|(.*)\|$/gm)].map(
  ([, route, large = '', cells = '']) => {
    const [, perSecond, ...counts] = cells.split('|').map((cell) => Number(cell.replaceAll(',', '')));
    const [statements = 0, read = 0, written = 0, calls = 0, nodes = 0] = counts;
    return { name: `${route}${large}`, perSecond: perSecond ?? 0, statements, read, written, calls, nodes };
  },
);

/** Returns how many requests a second the limit allows: the first one in the file is the local one, with the same number. */
function perSecondOf(limit: string): number {
  const [, most] = new RegExp(`name = "${limit}"[^[]*?limit = (\\d+), period = 10`).exec(WRANGLER) ?? [];
  return Number(most) / 10;
}

const OPEN = ROUTES.filter((route) => route.operationId === 'verifyPass');
const OF_PARTNERS = [...OPEN, ...ROUTES.filter((route) => !['public', 'admin'].includes(route.scope))];

it('the table in the document has every route of a partner, and no other', () => {
  const named = new Set(ROWS.map(({ name }) => name.replace(/, large$/, '')));
  expect([...named].toSorted()).toEqual(OF_PARTNERS.map(nameOf).toSorted());
  expect(ROWS.map(({ name }) => name).toSorted()).toEqual(Object.keys(REQUESTS).toSorted());
});

describe.each(Object.keys(REQUESTS))('the costliest request of %s', (name) => {
  it('makes no more work than the document says, as often as it says', async () => {
    const request = await (REQUESTS[name] as (typeof REQUESTS)[string])();
    const fetched = vi.spyOn(globalThis, 'fetch');
    const releaseAlarms = holdAlarms();
    forget(uses);
    asked.length = 0;
    const { status, text } = await request();
    expect(status, text).toBeLessThan(300);
    const sum = (of: 'rows_read' | 'rows_written') => uses.statements.reduce((total, { meta }) => total + meta[of], 0);
    const measured = {
      name,
      perSecond: Math.min(...asked.map(perSecondOf)),
      statements: uses.statements.length,
      read: sum('rows_read'),
      written: sum('rows_written'),
      calls: uses.calls.length,
      nodes: name.endsWith('/sync') ? fetched.mock.calls.filter(([url]) => url === DEVNET).length : 0,
    };
    fetched.mockRestore();
    releaseAlarms();
    if (name.endsWith('/sync')) expect(measured.nodes).toBeGreaterThan(0);
    const row = ROWS.find((each) => each.name === name);
    expect(row?.perSecond).toBe(measured.perSecond);
    for (const column of ['statements', 'read', 'written', 'calls', 'nodes'] as const) {
      expect(measured[column], column).toBeLessThanOrEqual(row?.[column] ?? -1);
    }
  });
});
