import { env } from 'cloudflare:workers';
import { expect, it, vi } from 'vitest';
import { expectProblem } from '../../problem.ts';
import { SECOND } from '../setup/second-database.ts';
import { QUEUE_THAT_FAILS, workerWith } from './api.ts';
import { aPartner, TRUSTING } from './issuer.ts';
import { aWallet } from './wallets.ts';

/** A database that `npm run restore` keeps closed answers as if it were unavailable. */

const SEPOLIA = 'ethereum/sepolia';
const bindings = { ...TRUSTING, PASS_QUEUE: QUEUE_THAT_FAILS };
const open = workerWith(bindings);
const closed = workerWith({ ...bindings, CLOSED_SHARDS: `DB_9 ${SECOND}` });
vi.spyOn(console, 'error').mockReturnValue();
vi.spyOn(console, 'log').mockReturnValue();

it('refuses search and the feed, and answers a fetch from the pass object', async () => {
  const api = await aPartner({ shard: SECOND, send: open });
  const wallet = aWallet();
  expect((await api.issue(SEPOLIA, wallet)).status).toBe(202);
  const during = api.through(closed);
  for (const answer of [await during.search({}), await during.call('GET', '/events')]) {
    expectProblem(answer, 'temporarily_unavailable');
    expect(answer.headers.get('retry-after')).toBe('5');
  }
  expect((await during.fetch(SEPOLIA, wallet)).status).toBe(200);
  expect((await api.call('GET', '/events')).status).toBe(200);
});

it('accepts an issuance without publishing it, and publishes it once the database is open', async () => {
  const api = await aPartner({ shard: SECOND, send: open });
  const wallet = aWallet();
  const during = api.through(closed);
  expect((await during.issue(SEPOLIA, wallet)).status).toBe(202);
  const { DB_1 } = env as Env & { DB_1: D1Database };
  const row = () => DB_1.prepare('SELECT 1 FROM passes WHERE wallet = ?').bind(wallet).first();
  expect(await row()).toBeNull();
  await api.issue(SEPOLIA, wallet);
  expect(await row()).not.toBeNull();
});
