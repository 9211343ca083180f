import { runDurableObjectAlarm } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Wallet } from '../../../src/network/wallet.ts';
import { type PassKey, passName } from '../../../src/pass/pass.ts';
import { findPass } from '../../../src/store/search.ts';
import { eventually } from '../../eventually.ts';
import { expectProblem } from '../../problem.ts';
import { answering, commitsAndFails, failing, hanging, UnreliableDatabase } from '../store/unreliable.ts';
import { type Api, QUEUE_THAT_FAILS, type Send, workerWith } from './api.ts';
import { aPartner, newGatekeeperNetwork, TRUSTING } from './issuer.ts';
import { issueDuringSilence } from './silent-services.ts';
import { aWallet } from './wallets.ts';

/** Faults of D1 as partners see them: the pass objects hold the truth, and the read model catches up. */

const SEPOLIA = 'ethereum/sepolia';

const errors = vi.spyOn(console, 'error');
beforeEach(() => void errors.mockReset());
afterEach(() => void vi.useRealTimers());
const logged = () => errors.mock.calls.map((line) => line.join(' ')).join('\n');

/** Returns a partner whose row and contract the service has cached before the test changes the database. */
async function aPartnerBefore(bindings: Record<string, unknown> = {}) {
  const gatekeeperNetwork = newGatekeeperNetwork();
  const database = new UnreliableDatabase();
  const send = workerWith({ ...TRUSTING, ...bindings, DB: database });
  const api = (await aPartner({ gatekeeperNetwork })).through(send);
  expect((await api.issue(SEPOLIA, aWallet())).status).toBe(202);
  const keyOf = (wallet: Wallet): PassKey => ({ gatekeeperNetwork, chain: 'ethereum', network: 'sepolia', wallet });
  return { api, send, database, keyOf };
}

/** Returns the state of the pass in the read model. */
const stored = async (key: PassKey) => {
  const found = await findPass(env.DB, key);
  return found && JSON.parse(found.record).state;
};

/** Takes a pass from its issuance to its revocation, and reads it after each change. */
async function live(api: Api, wallet: string) {
  const issued = await api.issue(SEPOLIA, wallet);
  expect([issued.status, issued.record.state]).toEqual([202, 'REQUESTED']);
  const { id } = issued.record;
  const again = await api.issue(SEPOLIA, wallet);
  expect([again.status, again.record.id]).toEqual([202, id]);
  const fetched = await api.fetch(SEPOLIA, wallet);
  expect([fetched.status, fetched.record.id]).toEqual([200, id]);
  expect((await api.update(SEPOLIA, wallet, { state: 'FROZEN' })).updated.state).toBe('FROZEN');
  expect((await api.revoke(SEPOLIA, wallet)).record.state).toBe('REVOKED');
  expect((await api.fetch(SEPOLIA, wallet)).record).toMatchObject({ id, state: 'REVOKED' });
}

describe.each([
  ['unavailable', failing('D1_ERROR: Network connection lost.')],
  ['overloaded', failing('D1_ERROR: D1 DB is overloaded. Requests queued for too long.')],
  ['reset', failing('D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.')],
  // The connection to D1 and the file of the database fail without D1's prefix.
  ['disconnected', failing('Network connection lost.')],
  ['destroyed', failing('internal error; reference = s3j3afji1kp8g8sslvmt0kl6')],
  ['no database', failing('file is not a database: SQLITE_NOTADB')],
  ['damaged', failing('database disk image is malformed: SQLITE_CORRUPT')],
  ['without a disk', failing('disk I/O error: SQLITE_IOERR')],
  ['hanging', hanging],
])('while D1 is %s', (_, manner) => {
  let api: Api;
  let send: Send;
  let database: UnreliableDatabase;

  beforeAll(async () => {
    ({ api, send, database } = await aPartnerBefore());
    database.manner = manner;
  });

  it('issues, fetches and changes passes without D1, and delays no request for long', async () => {
    // While the clock stands still, the circuit stays open.
    vi.useFakeTimers({ toFake: ['Date'] });
    const before = database.asked;
    await live(api, aWallet());
    expectProblem(await api.fetch(SEPOLIA, aWallet()), 'pass_not_found');
    // The first request waits two seconds. Later requests do not wait.
    expect(manner === hanging ? database.asked - before : 1).toBe(1);
  });

  it('returns 503 for a search while D1 fails', async () => {
    const problem = expectProblem(await api.search({}), 'temporarily_unavailable');
    expect(JSON.stringify(problem)).not.toContain('D1');
    expect(logged()).toContain(problem.requestId);
  });

  it('returns 503 while D1 fails to a partner whose row is not cached', async () => {
    const stranger = (await aPartner()).through(send);
    const answers = [await stranger.search({}), await stranger.issue(SEPOLIA, aWallet())];
    for (const answer of answers) expectProblem(answer, 'temporarily_unavailable');
  });
});

it('stores a record once when D1 commits and then reports an error', async () => {
  const { api, database, keyOf } = await aPartnerBefore();
  database.manner = commitsAndFails;
  const wallet = aWallet();
  await live(api, wallet);
  expect(await stored(keyOf(wallet))).toBe('REVOKED');
  database.manner = answering;
  const { records } = await api.search({ filter: { walletAddress: wallet } });
  expect(records.map(({ state }) => state)).toEqual(['REVOKED']);
});

describe('recovery of the read model', () => {
  it('publishes a pass when its message arrives after D1 works again, even if the pass needs no further step', async () => {
    const { api, database, keyOf } = await aPartnerBefore({ PASS_QUEUE: QUEUE_THAT_FAILS });
    const wallet = aWallet();
    await api.issue(SEPOLIA, wallet);
    const heard = api.through(workerWith({ ...TRUSTING, DB: database }));
    await heard.search({});
    database.manner = failing('D1_ERROR: away');
    expect((await heard.revoke(SEPOLIA, wallet)).record.state).toBe('REVOKED');
    await eventually(async () => expect(await stored(keyOf(wallet))).toBe('REVOKED'));
  });

  it('publishes a pass by its alarm after D1 works again, even if its message was lost', async () => {
    const { api, database, keyOf } = await aPartnerBefore({ PASS_QUEUE: QUEUE_THAT_FAILS });
    const wallet = aWallet();
    const key = keyOf(wallet);
    await api.issue(SEPOLIA, wallet);
    database.manner = failing('D1_ERROR: away');
    await api.revoke(SEPOLIA, wallet);
    expect(await stored(key)).toBe('REQUESTED');
    await runDurableObjectAlarm((env as Env).PASSES.getByName(passName(key)));
    expect(await stored(key)).toBe('REVOKED');
  });
});

it('answers within the documented time while D1 is silent for 80 s and the queue hangs for 57 s, and loses nothing', () =>
  issueDuringSilence(10));
