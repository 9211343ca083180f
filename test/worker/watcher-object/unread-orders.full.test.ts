import { runInDurableObject } from 'cloudflare:test';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest';
import { CLOCK_SYSVAR } from '../../../src/chain/solana/rpc.ts';
import type { PassKey } from '../../../src/pass/pass.ts';
import type { Alteration } from '../chain/altered-nodes.ts';
import { tokenOf } from '../chain/solana/issuing.ts';
import {
  advance,
  anotherKey,
  callDevnet,
  claimVersion,
  expireAsOwner,
  makeSlotsByHand,
  untilConfirmed,
  untilFinal,
} from '../chain/solana/node.ts';
import { recordOf } from '../consumer/deliver.ts';
import { partner } from '../http/api.ts';
import { coverageOf, hurry, TestWatcher, validityOf } from './a-watcher.ts';
import { anActivePass, expiryChangedByOther, stepOf } from './others-on-solana.ts';
import {
  type AlterTransaction,
  hidingNull,
  holdReconciliation,
  unknownInstruction,
  withTransactions,
} from './unread-transactions.ts';

/**
 * Random orders of transactions by others that the watcher of devnet can read, does not know or cannot read. Each changes the expiry of the
 * token to a value of its own, so that the read model shows which of them it knows. The coverage never reaches one that it does not know.
 */

makeSlotsByHand();
const owner = await anotherKey();
beforeAll(async () => {
  await partner('acme');
  for (const method of ['log', 'error'] as const) vi.spyOn(console, method).mockImplementation(() => {});
});
afterAll(() => void vi.restoreAllMocks());

/** Long ago, so that no time is in the future. Slots have ten seconds each, so that two changes never have the same time. */
const GENESIS = Math.floor(Date.now() / 1_000) - 365 * 86_400;
const timeOf = (slot: number) => GENESIS + 10 * (slot - firstSlot);
const firstSlot = await callDevnet<number>('getSlot', { commitment: 'processed' });

const longAgo: Alteration = {
  alter: ({ method, params: [account] }, answer) => {
    const { result } = answer;
    if (method === 'getSignaturesForAddress' && Array.isArray(result))
      return { result: result.map((each) => ({ ...each, blockTime: timeOf(each.slot) })) };
    if (method !== 'getAccountInfo' || account !== CLOCK_SYSVAR) return answer;
    const data = Buffer.from(result.value.data[0], 'base64');
    data.writeBigInt64LE(BigInt(timeOf(Number(data.readBigUInt64LE(0)))), 32);
    return { result: { ...result, value: { ...result.value, data: [data.toString('base64'), 'base64'] } } };
  },
};

const refusing =
  (code: number, message: string): AlterTransaction =>
  () => ({ error: { code, message } });
const without =
  (part: object): AlterTransaction =>
  ({ result }) => ({ result: { ...result, ...part } });

/** How the node hides a transaction. */
const HIDDEN: Readonly<Record<string, AlterTransaction | number>> = {
  'claims version 2 of': 2,
  'claims version 255 of': 255,
  'shows null for': hidingNull,
  'shows an unknown instruction of': unknownInstruction,
  'shows no result of': without({ meta: null }),
  'shows another form of': without({ transaction: {} }),
  'does not offer': refusing(-32_601, 'Method not found'),
  'has an error of another chain for': refusing(3, 'execution reverted'),
};

interface Order {
  readonly key: PassKey;
  readonly watcher: TestWatcher;
  readonly altered: Map<string, AlterTransaction>;
  /** The changes so far. */
  readonly changes: { readonly transaction: string; readonly at: number; readonly expiry: number }[];
}
type Deed = readonly [words: string, run: (order: Order) => Promise<unknown>];

let expiries = 2_000_000_000;

async function note(order: Order, transaction: string): Promise<string> {
  const shown = await callDevnet<{ value: [{ slot: number }] }>('getSignatureStatuses', [transaction], {});
  const { expiry } = (await tokenOf(stepOf(order.key))) ?? {};
  order.changes.push({ transaction, at: timeOf(shown.value[0].slot), expiry: expiry ?? 0 });
  return transaction;
}

async function change(order: Order, version: 0 | 1): Promise<string> {
  // Earlier each time, because only a loss is noted before it is final.
  expiries -= 1;
  return note(order, await expiryChangedByOther(order.key, expiries, version));
}

async function hide(order: Order, way: string, version: 0 | 1): Promise<void> {
  const transaction = await change(order, version);
  const how = HIDDEN[way];
  if (typeof how === 'number') await claimVersion(transaction, how);
  else if (how !== undefined) order.altered.set(transaction, how);
}

/** Fails if the coverage has passed a change that the read model does not show. */
async function expectNoFalseClaim({ key, watcher, changes }: Order): Promise<void> {
  const { until, isPending } = (await validityOf(key)) ?? {};
  if (isPending) return;
  const known = changes.findLastIndex(({ expiry }) => expiry === until);
  // An extension counts only when it is final. Until then public checks refuse more than the chain.
  const unknown = changes.slice(known + 1).filter(({ expiry }) => expiry < (until ?? Number.POSITIVE_INFINITY));
  const claimed = Math.max((await watcher.status()).coveredUntil ?? 0, (await coverageOf(key)) ?? 0);
  expect(unknown.filter(({ at }) => at < claimed)).toEqual([]);
}

async function look(order: Order): Promise<void> {
  await hurry(order.watcher);
  await order.watcher.interval();
  await expectNoFalseClaim(order);
}

const version = fc.constantFrom<0 | 1>(0, 1);
const deed: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 3, arbitrary: version.map((v): Deed => [`a change in version ${v}`, (o) => change(o, v)]) },
  {
    weight: 1,
    arbitrary: version.map(
      (v): Deed => [
        `an expiry by the owner in version ${v}`,
        async (o) => note(o, await expireAsOwner(stepOf(o.key), owner, v)),
      ],
    ),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom(...Object.keys(HIDDEN)), version)
      .map(([way, v]): Deed => [`the node ${way} a change in version ${v}`, (o) => hide(o, way, v)]),
  },
  {
    weight: 1,
    arbitrary: fc.constant<Deed>(['the node shows what it hid', async ({ altered }) => altered.clear()]),
  },
  { weight: 4, arbitrary: fc.constant<Deed>(['an interval', look]) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 50 }).map((n): Deed => [`${n} blocks`, () => advance(n)]) },
);

/** Lets the watcher ask for the reconciliation, which it does at most once an hour. */
async function askForReconciliation({ object }: TestWatcher): Promise<void> {
  await runInDurableObject(object, (_, { storage }) => void storage.kv.delete('reported-at'));
}

it('the coverage never passes a change that was not read, and all are known in the end', {
  timeout: 3_600_000,
}, async () => {
  const key = await anActivePass(owner.gatekeeper.address);
  const { urls, altered } = withTransactions(longAgo);
  const runs = inject('form') === 'long' ? 2_000 : 200;
  const { seed } = inject('stories');
  const left = { gaps: 0, seen: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(deed, { minLength: 3, maxLength: 10 }), async (deeds) => {
      altered.clear();
      const watcher = await TestWatcher.begin({ network: 'devnet', urls });
      const reconcile = await holdReconciliation(watcher, urls);
      const order: Order = { key, watcher, altered, changes: [] };
      const words = deeds.map(([each]) => each).join('; ');
      try {
        for (const [, run] of deeds) await run(order);
        await look(order);
        await untilFinal();
        for (let looks = 0; looks < 3; looks += 1) await look(order);
        const { gaps, waiting, unservedGaps } = await watcher.status();
        expect({ waiting, readable: gaps - unservedGaps }).toEqual({ waiting: 0, readable: 0 });
        left[unservedGaps > 0 ? 'gaps' : 'seen'] += 1;
        await askForReconciliation(watcher);
        await look(order);
        await reconcile();
        await advance(2);
        await untilConfirmed();
        for (let looks = 0; looks < 2; looks += 1) await look(order);
        const last = order.changes.at(-1);
        if (last === undefined) return;
        expect(await validityOf(key)).toMatchObject({ until: last.expiry, isPending: false });
        expect((await recordOf(key))?.expiryTimestamp).toBe(last.expiry);
        expect((await watcher.status()).coveredUntil).toBeGreaterThan(last.at);
      } catch (fault) {
        throw new Error(`${words}: ${fault}`);
      }
    }),
    { numRuns: runs, seed, endOnFailure: true },
  );
  expect(left.gaps).toBeGreaterThan(runs / 4);
  expect(left.seen).toBeGreaterThan(runs / 20);
});
