/**
 * The same three endpoints as a good engineer writes them in a day with common libraries: Hono, zod, Drizzle, hono/jwk,
 * normalized tables, and a queue behind the issuance.
 */
import { zValidator } from '@hono/zod-validator';
import { and, asc, desc, eq, lt } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { Hono } from 'hono';
import { z } from 'zod';
import { authenticate, requireScope } from './authenticate.ts';
import type { App } from './environment.ts';
import { recordOf } from './record.ts';
import * as schema from './schema.ts';

const { passes, events } = schema;

const Wallet = z.string().regex(/^0x[0-9a-fA-F]{40}$/);
const Network = z.object({ chain: z.enum(['ethereum', 'solana']), network: z.string() });
const Search = z.object({
  limit: z.number().int().min(1).max(100).default(20),
  after: z.uuid().optional(),
  filter: z.object({ state: z.string().optional(), walletAddress: Wallet.optional() }).default({}),
});

/** Returns a pass with its history, read by one statement. */
const withEvents = {
  events: { with: { transaction: true }, orderBy: asc(events.id) },
} as const;

const app = new Hono<App>();

app.use(async (c, next) => {
  c.set('db', drizzle(c.env.DB, { schema }));
  await next();
});
app.use('/pass/*', authenticate);

app.post('/pass', requireScope('search:pass'), zValidator('json', Search), async (c) => {
  const { limit, after, filter } = c.req.valid('json');
  const found = await c.get('db').query.passes.findMany({
    where: and(
      eq(passes.gatekeeperNetwork, c.get('partner').gatekeeperNetwork),
      after === undefined ? undefined : lt(passes.id, after),
      filter.state === undefined ? undefined : eq(passes.state, filter.state),
      filter.walletAddress === undefined ? undefined : eq(passes.walletAddress, filter.walletAddress),
    ),
    orderBy: desc(passes.id),
    limit,
    with: withEvents,
  });
  return c.json({ records: found.map(recordOf), next: found[limit - 1]?.id });
});

app.get(
  '/pass/:chain/:network/:wallet',
  requireScope('search:pass'),
  zValidator('param', Network.extend({ wallet: Wallet })),
  async (c) => {
    const { chain, network, wallet } = c.req.valid('param');
    const found = await c.get('db').query.passes.findFirst({
      where: and(
        eq(passes.gatekeeperNetwork, c.get('partner').gatekeeperNetwork),
        eq(passes.walletAddress, wallet),
        eq(passes.chain, chain),
        eq(passes.network, network),
      ),
      with: withEvents,
    });
    return found === undefined ? c.json({ error: 'pass not found' }, 404) : c.json(recordOf(found));
  },
);

app.post(
  '/pass/:chain/:network',
  requireScope('issue:pass'),
  zValidator('param', Network),
  zValidator('json', z.object({ walletAddress: Wallet })),
  async (c) => {
    const db = c.get('db');
    const { chain, network } = c.req.valid('param');
    const { walletAddress } = c.req.valid('json');
    const { gatekeeperNetwork } = c.get('partner');
    const key = { gatekeeperNetwork, walletAddress, chain, network };
    const known = await db.query.passes.findFirst({
      where: and(
        eq(passes.gatekeeperNetwork, gatekeeperNetwork),
        eq(passes.walletAddress, walletAddress),
        eq(passes.chain, chain),
        eq(passes.network, network),
      ),
      with: withEvents,
    });
    if (known !== undefined) return c.json(recordOf(known), 202);
    const pass = { id: crypto.randomUUID(), ...key, state: 'REQUESTED', onChainState: 'NONE', expiryTimestamp: null };
    const event = { passId: pass.id, eventType: 'TOKEN_ISSUED_INITIATED', timestamp: Math.floor(Date.now() / 1000) };
    await db.batch([db.insert(passes).values(pass), db.insert(events).values(event)]);
    await c.env.ISSUANCES.send({ passId: pass.id });
    return c.json(recordOf({ ...pass, events: [{ ...event, transaction: null }] }), 202);
  },
);

export default {
  fetch: app.fetch,
  async queue(): Promise<void> {},
};
