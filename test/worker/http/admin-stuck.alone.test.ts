import { listDurableObjectIds, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, inject, it } from 'vitest';
import { signerNameOf } from '../../../src/config/signers.ts';
import type { GatekeeperNetwork } from '../../../src/network/slot.ts';
import type { Wallet } from '../../../src/network/wallet.ts';
import type { PassKey } from '../../../src/pass/pass.ts';
import { listUnsettled } from '../../../src/store/unsettled.ts';
import { GATEKEEPER_KEYS } from '../../../tools/localnet/ethereum/gatekeepers.ts';
import { eventually } from '../../eventually.ts';
import { expectProblem, type ProblemCode } from '../../problem.ts';
import { sepolia } from '../chain/ethereum/node.ts';
import { issueWithSigner } from '../issue-with-signer.ts';
import { placeNetwork } from '../setup/second-database.ts';
import { aPass, UNSENT } from './a-pass.ts';
import { partner, seededPartner, workerWith, workerWithoutQueue } from './api.ts';
import { newGatekeeperNetwork, TRUSTING } from './issuer.ts';
import { transactionCount } from './node.ts';
import { anOperator, operator } from './operator.ts';
import { anActivePass, tokensOf, untilFinal } from './sepolia-contract.ts';
import { aWaitingPass, objectOf, SEPOLIA, sepoliaKey, UNAUTHORIZED } from './waiting-pass.ts';
import { aWallet } from './wallets.ts';

/** Stuck passes: the operator's view, the reasons, and redrives. */

const { DB, DB_1, PASSES, SIGNERS } = env as Env & { DB_1: D1Database };
const acme = await partner('acme');
const ops = await operator();

const OURS = seededPartner('acme').gatekeeperNetwork;
const keyOf = (wallet: Wallet, gatekeeperNetwork = OURS) => sepoliaKey(wallet, gatekeeperNetwork);
const alarm = (key: PassKey) => runDurableObjectAlarm(objectOf(key));

interface Stuck {
  readonly pass: { id: string; gatekeeperNetwork: string; chain: object; walletAddress: string };
  readonly since: number;
  readonly step?: { id: string; kind: string };
  readonly tries?: number;
  readonly reason: string;
}

async function stuck(query = '?olderThan=0', of = ops): Promise<{ stuck: Stuck[]; next: string | null }> {
  const { status, text } = await of.call('GET', `/admin/stuck${query}`);
  expect(status).toBe(200);
  return JSON.parse(text);
}

const stuckOf = async (wallet: string, of = ops) =>
  (await stuck('?olderThan=0', of)).stuck.find(({ pass }) => pass.walletAddress === wallet);

async function redrive(body: object, of = ops): Promise<{ redriven: number; more: boolean; next?: string }> {
  const { status, text } = await of.post('/admin/redrive', body);
  expect(status).toBe(202);
  return JSON.parse(text);
}

/** Requests a pass whose message is lost. */
async function aLostPass(): Promise<PassKey> {
  const wallet = aWallet();
  await acme.through(workerWithoutQueue).issue(SEPOLIA, wallet);
  return keyOf(wallet);
}

beforeEach(async () => {
  // The alarm of a pass of an earlier test would list that pass ten seconds later.
  for (const id of await listDurableObjectIds(PASSES))
    await runInDurableObject(PASSES.get(id), (_, { storage }) => storage.deleteAlarm());
  await Promise.all([DB, DB_1].map((db) => db.exec('DELETE FROM unsettled')));
});

describe('the list of unsettled passes', () => {
  it('lists an unsettled pass after its alarm, with the reason of the last try', async () => {
    const requestedAt = Math.floor(Date.now() / 1000);
    const key = await aWaitingPass();
    expect(await stuckOf(key.wallet)).toBeUndefined();
    await alarm(key);
    const listed = await stuckOf(key.wallet);
    expect(listed).toMatchObject({
      pass: { gatekeeperNetwork: key.gatekeeperNetwork, chain: { type: 'ethereum', network: 'sepolia' } },
      step: { id: `${listed?.pass.id}:1`, kind: 'issue' },
      tries: expect.any(Number),
      reason: UNAUTHORIZED,
    });
    expect(listed?.since).toBeGreaterThanOrEqual(requestedAt);
    expect(listed?.since).toBeLessThanOrEqual(Date.now() / 1000);
    await alarm(key);
    expect(await stuckOf(key.wallet)).toMatchObject({ since: listed?.since });
  });

  it('lists a pass only after the requested age, which is five minutes by default', async () => {
    const key = await aWaitingPass();
    await alarm(key);
    expect((await stuck('')).stuck).toEqual([]);
    expect((await stuck('?olderThan=3600')).stuck).toEqual([]);
    expect((await stuck('?olderThan=0')).stuck).toHaveLength(1);
  });

  it('pages through unsettled passes, oldest first', async () => {
    const wallets: string[] = [];
    for (const since of [3, 1, 2]) {
      const key = await aLostPass();
      const id = (await objectOf(key).inspect())?.publication.id as string;
      await listUnsettled(DB, { key, id, since });
      wallets[since - 1] = key.wallet;
    }
    const first = await stuck('?limit=2');
    const second = await stuck(`?limit=2&after=${first.next}`);
    const shown = [...first.stuck, ...second.stuck].map(({ pass }) => pass.walletAddress);
    expect(shown).toEqual(wallets);
    expect(second.next).toBeNull();
  });

  it('lists the passes of every shard in one order, while each shard stores only its own passes', async () => {
    const keys = [];
    for (const [since, db] of [
      [2, DB],
      [1, DB_1],
      [3, DB_1],
    ] as const) {
      const key = keyOf(aWallet());
      await issueWithSigner(key);
      const id = (await objectOf(key).inspect())?.publication.id as string;
      await listUnsettled(db, { key, id, since });
      keys[since - 1] = key.wallet;
    }
    const first = await stuck('?limit=2');
    const second = await stuck(`?limit=2&after=${first.next}`);
    expect([...first.stuck, ...second.stuck].map(({ pass }) => pass.walletAddress)).toEqual(keys);

    const key = keyOf(aWallet(), newGatekeeperNetwork());
    await placeNetwork(key.gatekeeperNetwork, 'DB_1');
    await issueWithSigner(key);
    await objectOf(key).pinStep();
    await alarm(key);
    const count = (db: D1Database) =>
      db.prepare('SELECT count(*) AS n FROM unsettled WHERE wallet = ?').bind(key.wallet).first('n');
    expect([await count(DB), await count(DB_1)]).toEqual([0, 1]);
    expect(await stuckOf(key.wallet)).toBeDefined();
  });

  it('lists the passes of the other shards, and names the failing shard, while one shard fails', async () => {
    const key = keyOf(aWallet(), newGatekeeperNetwork());
    await issueWithSigner(key);
    await alarm(key);
    const away = { prepare: () => aStatement };
    const aStatement = { bind: () => aStatement, all: () => Promise.reject(new Error('D1_ERROR: away')) };
    const { text } = await (await anOperator({}, workerWith({ ...TRUSTING, DB_1: away }))).call(
      'GET',
      '/admin/stuck?olderThan=0',
    );
    expect(JSON.parse(text)).toMatchObject({
      stuck: [{ pass: { walletAddress: key.wallet } }],
      unreadShards: ['DB_1'],
    });
  });

  it('removes a pass from the list when it settles, and never lists a pass that settles in time', async () => {
    const key = await aLostPass();
    await alarm(key);
    await acme.watch(SEPOLIA, key.wallet, ({ state }) => state === 'ACTIVE');
    expect(await stuckOf(key.wallet)).toBeUndefined();
    await alarm(key);
    const settled = keyOf(await anActivePass(acme));
    await alarm(settled);
    expect((await DB.prepare('SELECT * FROM unsettled').all()).results).toEqual([]);
    expect(await runInDurableObject(objectOf(key), (_, { storage }) => storage.getAlarm())).toBeNull();
  });

  it('reports a missing signer, an unreachable signer and an unreachable pass object, each for its own pass', async () => {
    const gatekeeperNetwork = newGatekeeperNetwork();
    const orphan = await aPass({ gatekeeperNetwork, state: 'REQUESTED', ...UNSENT });
    const waiting = await aWaitingPass();
    for (const key of [orphan, waiting]) await alarm(key);
    expect((await stuckOf(orphan.wallet))?.reason).toBe('its network or key is not configured');
    const getByName = (name: string) => {
      if (name === signerNameOf(sepolia())) throw new Error('the object was reset');
      return SIGNERS.getByName(name);
    };
    const cutOff = await anOperator({}, workerWith({ ...TRUSTING, SIGNERS: { getByName } }));
    expect((await stuckOf(orphan.wallet, cutOff))?.reason).toBe('its network or key is not configured');
    expect((await stuckOf(waiting.wallet, cutOff))?.reason).toBe('its signer does not answer');
    const lost = { getByName: () => ({ inspect: () => Promise.reject(new Error('the object was reset')) }) };
    const blind = await anOperator({}, workerWith({ ...TRUSTING, PASSES: lost }));
    expect((await stuckOf(orphan.wallet, blind))?.reason).toBe('its pass object cannot be reached');
  });
});

describe('POST /admin/redrive', () => {
  const passOf = ({ gatekeeperNetwork, chain, network, wallet }: PassKey) => ({
    pass: { gatekeeperNetwork, chain, network, walletAddress: wallet },
  });

  it('tries a pass again at once, and sends only one transaction however often it is called', async () => {
    const key = await aLostPass();
    const before = await transactionCount('sepolia');
    const lower = { ...key, wallet: key.wallet.toLowerCase() as Wallet };
    const answers = await Promise.all([key, lower, key, key].map((each) => redrive(passOf(each))));
    expect(answers).toEqual(answers.map(() => ({ redriven: 1, more: false })));
    await acme.watch(SEPOLIA, key.wallet, ({ state }) => state === 'ACTIVE');
    await redrive(passOf(key));
    await untilFinal();
    expect(await transactionCount('sepolia')).toBe(before + 1);
    expect(await tokensOf(key.wallet)).toHaveLength(1);
  });

  it('redrives a pass by its alarm while the queue accepts no message', async () => {
    const key = await aLostPass();
    const quietly = await anOperator(
      {},
      workerWith({ ...TRUSTING, PASS_QUEUE: { sendBatch: () => Promise.reject(new Error()) } }),
    );
    await redrive(passOf(key), quietly);
    await acme.watch(SEPOLIA, key.wallet, ({ state }) => state === 'ACTIVE');
  });

  it('redrives only passes that are old enough with `all: stuck`', async () => {
    const [lost, waiting, young] = [await aLostPass(), await aWaitingPass(), await aLostPass()];
    const now = Math.floor(Date.now() / 1000);
    for (const [key, since] of [
      [lost, 1_000],
      [young, now],
    ] as const) {
      const id = (await objectOf(key).inspect())?.publication.id as string;
      await listUnsettled(DB, { key, id, since });
    }
    // Until the pass records that its signer has the step, a redrive would restart its backoff.
    await eventually(async () => {
      await alarm(waiting);
      expect((await objectOf(waiting).inspect())?.tries).toBeGreaterThan(4);
    });
    expect(await redrive({ all: 'stuck', olderThan: 86_400 })).toEqual({ redriven: 1, more: false });
    await acme.watch(SEPOLIA, lost.wallet, ({ state }) => state === 'ACTIVE');
    // The first pass stays on the list until its next alarm, which may have fired by now.
    const { redriven, more } = await redrive({ all: 'stuck', olderThan: 0 });
    expect([redriven >= 2, more]).toEqual([true, false]);
    await acme.watch(SEPOLIA, young.wallet, ({ state }) => state === 'ACTIVE');
    // The cause remains, so this pass waits again with the first pause.
    expect((await objectOf(waiting).inspect())?.tries).toBeLessThan(3);
  });

  it.each<[Partial<Record<keyof PassKey, string>>, ProblemCode]>([
    [{}, 'pass_not_found'],
    [{ network: 'nowhere' }, 'unknown_network'],
    [{ chain: 'solana' }, 'unknown_network'],
    [{ wallet: '0x12' }, 'invalid_wallet'],
  ])('refuses to redrive a pass that does not exist: %j', async (overrides, code) => {
    const key = { ...keyOf(aWallet()), ...overrides } as PassKey;
    expectProblem(await ops.post('/admin/redrive', passOf(key)), code);
  });

  it.each(['acme', '', '0'.repeat(44), `${OURS}/ethereum`, OURS.slice(1)])(
    'refuses to redrive a pass of %j, which is not a gatekeeper network',
    async (malformed) => {
      const key = { ...keyOf(aWallet()), gatekeeperNetwork: malformed as GatekeeperNetwork };
      const answer = await ops.post('/admin/redrive', passOf(key));
      expectProblem(answer, 'invalid_request', { pointers: ['/pass/gatekeeperNetwork'] });
    },
  );
});

it('reveals no secret in the list of unsettled passes', async () => {
  const key = await aWaitingPass();
  await alarm(key);
  const { text } = await ops.call('GET', '/admin/stuck?olderThan=0');
  for (const secret of [...GATEKEEPER_KEYS.map((key) => key.slice(2)), ...Object.values(inject('localnet').rpc)]) {
    expect(text).not.toContain(secret);
  }
});
