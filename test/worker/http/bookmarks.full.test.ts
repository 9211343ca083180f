import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type PassKey, passName } from '../../../src/pass/pass.ts';
import { publishPasses } from '../../../src/store/passes.ts';
import { SECOND } from '../setup/second-database.ts';
import { recording } from '../store/recorder.ts';
import { ReplicatedDatabase } from '../store/replicated-database.ts';
import { aPass, aPassKey } from './a-pass.ts';
import { type Api, QUEUE_THAT_FAILS, workerWith } from './api.ts';
import { aPartner, TRUSTING } from './issuer.ts';

/** Replicas answer reads. A caller that sends the bookmark of a reply sees at least the state of that reply. */

const { DB, PASSES } = env as unknown as Env;
const HEADER = 'gatepass-bookmark';
const BOOKMARK = /^DB\.[\da-f]{8}-[\da-f]{8}-[\da-f]{8}-[\da-f]{32}$/;
const SEPOLIA = 'ethereum/sepolia';
vi.spyOn(console, 'error').mockReturnValue();

/** Signers whose every reading of a chain shows a frozen token. */
const SIGNERS = { getByName: () => ({ readPasses: async () => [{ type: 'read', onChain: { state: 'FROZEN' } }] }) };

async function aPartnerOf(bindings: Readonly<Record<string, unknown>>, shard = 'DB') {
  const send = workerWith({ ...TRUSTING, PASS_QUEUE: QUEUE_THAT_FAILS, SIGNERS, ...bindings });
  const api = await aPartner({ shard, send });
  return { gatekeeperNetwork: api.gatekeeperNetwork, api };
}

type Ask = (api: Api, key: PassKey, bookmark?: string) => ReturnType<Api['call']>;
const call =
  (method: string, path: (key: PassKey) => string, body?: (key: PassKey) => object): Ask =>
  (api, key, bookmark) =>
    api.call(method, path(key), {
      ...(body && { body: JSON.stringify(body(key)) }),
      headers: { 'content-type': 'application/json', ...(bookmark !== undefined && { [HEADER]: bookmark }) },
    });
const pathOf = ({ wallet }: PassKey) => `/pass/${SEPOLIA}/${wallet}`;

const fetching = call('GET', pathOf);
const searching = call(
  'POST',
  () => '/pass',
  ({ wallet }) => ({ filter: { walletAddress: wallet } }),
);
const issuing = call(
  'POST',
  () => `/pass/${SEPOLIA}`,
  ({ wallet }) => ({ walletAddress: wallet }),
);
const freezing = call('PATCH', pathOf, () => ({ state: 'FROZEN' }));
const revoking = call('DELETE', pathOf);
const syncing = call('POST', (key) => `${pathOf(key)}/sync`);
const READS = [
  ['fetching', fetching],
  ['searching', searching],
] as const;
const WRITES = [
  ['freezing', freezing, 'FROZEN'],
  ['revoking', revoking, 'REVOKED'],
  ['a sync', syncing, 'FROZEN'],
] as const;
const bookmarkOf = ({ headers }: Awaited<ReturnType<Ask>>) => headers.get(HEADER) as string;

/** Returns the states that a fetch and a search show. */
async function statesSeen(api: Api, key: PassKey, bookmark?: string) {
  const { record } = await fetching(api, key, bookmark);
  const { records } = await searching(api, key, bookmark);
  return [record.state, ...records.map(({ state }) => state)];
}

describe('bookmarks of D1', () => {
  const { db, ran, sessions } = recording(DB);
  beforeEach(() => {
    ran.length = sessions.length = 0;
  });

  it('sends a bookmark with every reply that shows a pass, and with no other reply', async () => {
    const { api, gatekeeperNetwork } = await aPartnerOf({});
    for (const ask of [fetching, searching, freezing, syncing, revoking]) {
      expect(bookmarkOf(await ask(api, await aPass({ gatekeeperNetwork })))).toMatch(BOOKMARK);
    }
    expect(bookmarkOf(await searching(api, aPassKey({ gatekeeperNetwork })))).toMatch(BOOKMARK);
    expect(bookmarkOf(await issuing(api, aPassKey({ gatekeeperNetwork })))).toMatch(BOOKMARK);
    for (const ask of [fetching, freezing, syncing, revoking]) {
      const missed = await ask(api, aPassKey({ gatekeeperNetwork }));
      expect([missed.status, missed.headers.get(HEADER)]).toEqual([404, null]);
    }
    expect((await api.call('GET', '/health')).headers.get(HEADER)).toBeNull();
  });

  it.each(READS)(
    'starts the D1 session of %s from the given bookmark, and reads no more rows than without a bookmark',
    async (_, ask) => {
      const { api, gatekeeperNetwork } = await aPartnerOf({ DB: db });
      const key = await aPass({ gatekeeperNetwork });
      await api.search({});
      ran.length = sessions.length = 0;
      const bookmark = bookmarkOf(await ask(api, key));
      expect(sessions.splice(0)).toEqual(['first-unconstrained']);
      const without = ran.splice(0);
      expect((await ask(api, key, bookmark)).text).toContain(key.wallet);
      expect(sessions).toEqual([bookmark.replace('DB.', '')]);
      const read = [without, ran].map((statements) => statements.map(({ meta }) => meta.rows_read));
      expect(read).toEqual([[expect.toSatisfy((rows) => rows <= 3)], read[0]]);
    },
  );

  it.each([
    ['empty', ''],
    ['a word', 'rubbish'],
    ['the constraint of the primary', 'first-primary'],
    ['a D1 bookmark without its shard', '00000000-00000006-00000000-00000000000000000000000000000000'],
    ['of another shard', 'DB_1.00000000-00000006-00000000-00000000000000000000000000000000'],
    ['of an unknown shard', 'DB_9.00000000-00000006'],
    ['another constraint', 'DB.first-unconstrained'],
    ['two bookmarks', 'DB.00000000-00000006, DB.00000000-00000007'],
    ['very long', `DB.0-${'0'.repeat(10_000)}`],
    ['made of too many parts', `DB.0${'-0'.repeat(5_000)}`],
    ['in upper case', 'db.00000000-0000000A'],
  ])('reads from the primary when the bookmark is %s', async (_, rubbish) => {
    const { api, gatekeeperNetwork } = await aPartnerOf({ DB: db });
    const key = await aPass({ gatekeeperNetwork });
    for (const [, ask] of READS) {
      const answer = await ask(api, key, rubbish);
      expect([answer.status, sessions.splice(0)]).toEqual([200, ['first-primary']]);
      expect(bookmarkOf(answer)).toMatch(BOOKMARK);
    }
  });

  it('names the shard in the bookmark', async () => {
    const { api, gatekeeperNetwork } = await aPartnerOf({}, SECOND);
    const key = aPassKey({ gatekeeperNetwork });
    for (const ask of [issuing, fetching, searching])
      expect(bookmarkOf(await ask(api, key))).toMatch(/^DB_1\.[\da-f-]{59}$/);
  });
});

describe('bookmarks with a lagging replica', () => {
  const replicated = new ReplicatedDatabase();
  const seen = async () => {
    const made = await aPartnerOf({ DB: replicated });
    const key = await aPass({ gatekeeperNetwork: made.gatekeeperNetwork });
    await replicated.catchUp();
    return { ...made, key };
  };
  beforeEach(() => {
    replicated.sessions.length = 0;
  });

  it.each(WRITES)(
    'shows the effect of %s on every read that sends its bookmark, while other reads may show the previous state',
    async (_, write, state) => {
      const { api, key } = await seen();
      const bookmark = bookmarkOf(await write(api, key));
      expect(await statesSeen(api, key)).toEqual(['ACTIVE', 'ACTIVE']);
      expect(await statesSeen(api, key, bookmark)).toEqual([state, state]);
      await replicated.catchUp();
      expect(await statesSeen(api, key)).toEqual([state, state]);
    },
  );

  it('finds a newly issued pass when fetching without a bookmark, and when searching with it', async () => {
    const { api, gatekeeperNetwork } = await seen();
    const key = aPassKey({ gatekeeperNetwork });
    const bookmark = bookmarkOf(await issuing(api, key));
    expect((await searching(api, key)).records).toEqual([]);
    expect((await searching(api, key, bookmark)).records).toHaveLength(1);
    const fetched = await fetching(api, key);
    expect(fetched.record.state).toBe('REQUESTED');
    expect((await searching(api, key, bookmarkOf(fetched))).records).toHaveLength(1);
  });

  it.each(WRITES)(
    'returns the bookmark of the primary after %s that changes nothing further',
    async (_, write, state) => {
      const { api, key } = await seen();
      await write(api, key);
      const pass = PASSES.getByName(passName(key));
      const taken = await pass.pinStep();
      const status = { type: 'found', onChain: { state: state as 'FROZEN' } } as const;
      if (taken?.step) await pass.recordAnswers([{ step: taken.step.id, revision: 1, status }]);
      await publishPasses(DB, [(await pass.readPublication()) as never]);
      const again = bookmarkOf(await write(api, key));
      expect(again).toBe('first-primary');
      expect(await statesSeen(api, key)).toEqual(['ACTIVE', 'ACTIVE']);
      expect(await statesSeen(api, key, again)).toEqual([state, state]);
    },
  );

  it('never shows an older state to a client that sends the bookmark of each read with the next', async () => {
    const { api, key } = await seen();
    let bookmark = bookmarkOf(await freezing(api, key));
    for (const [, read] of [...READS, ...READS]) {
      const answer = await read(api, key, bookmark);
      expect(answer.text).toContain('"state":"FROZEN"');
      bookmark = bookmarkOf(answer);
    }
  });

  it('reads from a replica that has caught up with the bookmark', async () => {
    const { api, key } = await seen();
    const bookmark = bookmarkOf(await freezing(api, key));
    await replicated.catchUp();
    await DB.prepare("UPDATE passes SET record = '{}' WHERE wallet = ?").bind(key.wallet).run();
    expect((await fetching(api, key, bookmark)).record.state).toBe('FROZEN');
  });

  const TO_COME = `DB.${'f'.repeat(8)}-${'f'.repeat(8)}-${'f'.repeat(8)}-${'f'.repeat(32)}`;
  it('reads from the primary when D1 refuses a future bookmark, and returns a valid bookmark', async () => {
    const { api, key } = await seen();
    for (const [, read] of READS) {
      const answer = await read(api, key, TO_COME);
      expect([answer.status, bookmarkOf(answer) < TO_COME]).toEqual([200, true]);
      expect(replicated.sessions.splice(0)).toEqual([TO_COME.replace('DB.', ''), 'first-primary']);
    }
  });
});
