import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import type { CountedChange, FeedUsage, PassState } from '../../../src/pass/vocabulary.ts';
import { type Publication, publishPasses } from '../../../src/store/passes.ts';
import { expectProblem } from '../../problem.ts';
import { SECOND, second } from '../setup/second-database.ts';
import { aFedProjection } from '../store/rows.ts';
import { failing, UnreliableDatabase } from '../store/unreliable.ts';
import type { Answer } from './answer.ts';
import { type Api, workerWith } from './api.ts';
import { aPartner, TRUSTING } from './issuer.ts';
import { anOperator } from './operator.ts';

/** The usage of a month, as partners and the operator read it. */

const { DB } = env as Env;
const THIS_MONTH = new Date().toISOString().slice(0, 7);
const SEPOLIA = { type: 'ethereum', network: 'sepolia' };
let passes = 0;

interface Change {
  readonly on?: { readonly chain: 'ethereum' | 'solana'; readonly network: string };
  readonly state?: PassState;
  readonly change?: CountedChange;
  readonly amount?: FeedUsage['amount'];
  readonly month?: string;
}

/** Publishes a new pass with an event that counts. */
async function publish(partner: { gatekeeperNetwork: string }, change: Change = {}, db = DB): Promise<Publication> {
  passes += 1;
  const { on, state = 'ACTIVE', amount = 1, month = '2026-10' } = change;
  const { gatekeeperNetwork } = partner;
  const made = aFedProjection(passes, ['pass.issued'], { gatekeeperNetwork, state, version: 2, ...on });
  const usage = { month, change: change.change ?? 'issued', amount } as const;
  const publication = { ...made, events: made.events?.map((event) => ({ ...event, usage })) };
  await publishPasses(db, [publication]);
  return publication;
}

const usageOf = async (api: Api, month = '2026-10') => jsonOf(await api.call('GET', `/usage?month=${month}`));

function jsonOf(answer: Answer) {
  expect(answer.status, answer.text).toBe(200);
  return JSON.parse(answer.text);
}

describe('GET /usage', () => {
  it('counts the changes of the month by network, and the active passes now', async () => {
    const api = await aPartner({});
    const onSolana = { chain: 'solana', network: 'devnet' } as const;
    await publish(api);
    await publish(api, { state: 'FROZEN' });
    await publish(api, { change: 'renewed' });
    await publish(api, { on: onSolana, change: 'revoked', state: 'REVOKED' });
    await publish(api, { month: '2026-09' });
    await publish(api, { month: '2026-09', amount: -1 });
    expect(await usageOf(api)).toEqual({
      month: '2026-10',
      networks: [
        { chain: { type: 'solana', network: 'devnet' }, issued: 0, renewed: 0, revoked: 1, active: 0 },
        { chain: SEPOLIA, issued: 2, renewed: 1, revoked: 0, active: 4 },
      ],
    });
    const [, sepolia] = (await usageOf(api, '2026-09')).networks;
    expect(sepolia).toMatchObject({ issued: 0, renewed: 0, active: 4 });
  });

  it('shows the current month by default, and negative numbers after a reorg of an earlier change', async () => {
    const api = await aPartner({});
    expect(jsonOf(await api.call('GET', '/usage'))).toEqual({ month: THIS_MONTH, networks: [] });
    await publish(api, { month: THIS_MONTH, amount: -1, state: 'REQUESTED' });
    expect(jsonOf(await api.call('GET', '/usage')).networks).toEqual([
      { chain: SEPOLIA, issued: -1, renewed: 0, revoked: 0, active: 0 },
    ]);
  });

  it('counts nothing twice after a repeated, a late or a doubled publication', async () => {
    const api = await aPartner({});
    const publication = await publish(api);
    await publishPasses(DB, [publication, publication]);
    await publishPasses(DB, [{ ...publication, version: 1, state: 'REQUESTED' }]);
    expect((await usageOf(api)).networks).toEqual([{ chain: SEPOLIA, issued: 1, renewed: 0, revoked: 0, active: 1 }]);
  });

  it('shows a partner nothing of another gatekeeper network', async () => {
    const [ours, theirs] = [await aPartner({}), await aPartner({})];
    await publish(theirs);
    expect((await usageOf(ours)).networks).toEqual([]);
  });

  it('is at least as new as the bookmark of the caller', async () => {
    const api = await aPartner({});
    const { headers } = await api.call('GET', '/usage');
    expect(headers.get('gatepass-bookmark')).toMatch(/^DB\./);
  });

  it.each(['2026', '2026-13', '2026-00', '2026-1', '26-10', '2026-10-01', '', "2026-10'"])(
    'refuses the month %j',
    async (month) => {
      const api = await aPartner({});
      const answer = await api.call('GET', `/usage?month=${encodeURIComponent(month)}`);
      expectProblem(answer, 'invalid_request', { pointers: ['/month'] });
    },
  );
});

describe('GET /admin/usage', () => {
  it('shows the same for all partners, with their clients, page by page over all shards', async () => {
    const operator = (await anOperator()).through(workerWith({ ...TRUSTING, [SECOND]: second }));
    const partners = [await aPartner({}), await aPartner({ shard: SECOND }), await aPartner({})];
    const [, there] = partners as [Api & { gatekeeperNetwork: string; clientId: string }, (typeof partners)[number]];
    await publish(there, {}, second);
    const sharing = await aPartner({ gatekeeperNetwork: there.gatekeeperNetwork, shard: SECOND });
    const seen = new Map<string, { clients: { clientId: string; name: string }[]; networks: object[] }>();
    let after = '';
    do {
      const page = jsonOf(await operator.call('GET', `/admin/usage?month=2026-10&limit=2${after}`));
      expect(page.month).toBe('2026-10');
      expect(page.gatekeeperNetworks.length).toBeLessThanOrEqual(2);
      for (const { gatekeeperNetwork, ...rest } of page.gatekeeperNetworks) seen.set(gatekeeperNetwork, rest);
      after = page.next === null ? '' : `&after=${page.next}`;
    } while (after !== '');
    expect([...seen.keys()]).toEqual([...seen.keys()].toSorted());
    for (const { gatekeeperNetwork } of partners) expect(seen.has(gatekeeperNetwork)).toBe(true);
    const { clients, networks } = seen.get(there.gatekeeperNetwork) ?? {};
    expect(networks).toEqual([{ chain: SEPOLIA, issued: 1, renewed: 0, revoked: 0, active: 1 }]);
    const ids = [there.clientId, sharing.clientId];
    expect(clients?.toSorted((a, b) => ids.indexOf(a.clientId) - ids.indexOf(b.clientId))).toEqual(
      ids.map((clientId) => ({ clientId, name: clientId })),
    );
  });

  it('returns all numbers or none', async () => {
    await aPartner({ shard: SECOND });
    const away = new UnreliableDatabase(second);
    away.manner = failing('D1_ERROR: away');
    const operator = (await anOperator()).through(workerWith({ ...TRUSTING, [SECOND]: away }));
    let answer: Answer;
    let after = '';
    do {
      answer = await operator.call('GET', `/admin/usage?limit=100${after}`);
      after = answer.status === 200 && JSON.parse(answer.text).next ? `&after=${JSON.parse(answer.text).next}` : '';
    } while (after !== '');
    expectProblem(answer, 'temporarily_unavailable');
  });
});
