import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, inject, it, vi } from 'vitest';
import { signerNameOf } from '../../../src/config/signers.ts';
import type { UnixSeconds } from '../../../src/lib/units.ts';
import type { GatekeeperNetwork } from '../../../src/network/slot.ts';
import type { Wallet } from '../../../src/network/wallet.ts';
import { remedyOf } from '../../../src/operator/remedies.ts';
import type { PassKey } from '../../../src/pass/pass.ts';
import { stepId } from '../../../src/pass/step.ts';
import { PROGRESS, WAIT_REASONS, type WaitCode } from '../../../src/pass/wait-reasons.ts';
import { publishPasses } from '../../../src/store/passes.ts';
import { addRemovedGatekeeper, deleteRemovedGatekeeper } from '../../../src/store/validity.ts';
import { GATEKEEPER_KEYS } from '../../../tools/localnet/ethereum/gatekeepers.ts';
import { defaultContract } from '../../default-contract.ts';
import { eventually } from '../../eventually.ts';
import { expectProblem } from '../../problem.ts';
import { sepolia } from '../chain/ethereum/node.ts';
import { issueWithSigner } from '../issue-with-signer.ts';
import { placeNetwork, SECOND, second } from '../setup/second-database.ts';
import { failing, UnreliableDatabase } from '../store/unreliable.ts';
import { aPass, UNSENT } from './a-pass.ts';
import { type Api, workerWith } from './api.ts';
import { newGatekeeperNetwork, TRUSTING } from './issuer.ts';
import { anOperator } from './operator.ts';
import { aWaitingPass, objectOf, sepoliaKey, UNAUTHORIZED } from './waiting-pass.ts';
import { aWallet } from './wallets.ts';

/** The operator's look-up of a wallet: why its pass is or is not ACTIVE. */

const { DB, SIGNERS } = env as Env;
const ops = await anOperator();
const through = (changes: object) => anOperator({}, workerWith({ ...TRUSTING, ...changes }));
const NOW = Math.floor(Date.now() / 1000);

const pathOf = ({ chain, network, wallet }: Omit<PassKey, 'gatekeeperNetwork'>, gatekeeperNetwork?: string) =>
  `/admin/passes/${chain}/${network}/${wallet}${gatekeeperNetwork ? `?gatekeeperNetwork=${gatekeeperNetwork}` : ''}`;

/** Returns the answer about a wallet. */
async function lookUp(key: PassKey, of: Api = ops, gatekeeperNetwork?: string) {
  const { status, text } = await of.call('GET', pathOf(key, gatekeeperNetwork));
  expect([status, text]).toEqual([200, expect.any(String)]);
  return JSON.parse(text);
}

/** Returns the explanation of the only pass of a wallet. */
async function explain(key: PassKey, of: Api = ops, gatekeeperNetwork?: string) {
  const { passes } = await lookUp(key, of, gatekeeperNetwork);
  expect(passes).toHaveLength(1);
  return passes[0];
}

async function publish(key: PassKey, db = DB): Promise<void> {
  const publication = await objectOf(key).readPublication();
  if (publication !== undefined) await publishPasses(db, [publication]);
}

it('explains a waiting pass with its step, its signer, its node, the reason and the remedy', async () => {
  const key = await aWaitingPass();
  const explained = await explain(key);
  const { id } = explained.record;
  expect(explained).toMatchObject({
    pass: {
      id,
      gatekeeperNetwork: key.gatekeeperNetwork,
      chain: { type: 'ethereum', network: 'sepolia' },
      walletAddress: key.wallet,
    },
    code: 'not-authorized',
    reason: UNAUTHORIZED,
    remedy: remedyOf({ code: 'not-authorized' }),
    record: { state: 'REQUESTED', onChainState: 'NONE' },
    readModel: 'current',
    step: { id: stepId(id, 1), kind: 'issue' },
    tries: expect.any(Number),
    signerName: signerNameOf(sepolia()),
    signer: { network: 'sepolia', balance: expect.stringMatching(/^\d+$/) },
    node: { answers: true },
  });
});

/** Makes a pass that waits in a signer of its own, whose step has this reason. */
async function aPassThatWaits(code: WaitCode): Promise<PassKey> {
  const key = sepoliaKey(aWallet(), newGatekeeperNetwork());
  // A signer without a key does nothing by itself, so the reason stays.
  const signer = `ethereum/sepolia/0x${crypto.randomUUID().replaceAll('-', '').padEnd(40, '0')}`;
  await issueWithSigner(key, signer);
  await objectOf(key).pinStep();
  await publish(key);
  const found = [{ code, text: WAIT_REASONS[code].text }];
  stuck.set(signer, { stuckReasons: async () => found });
  return key;
}
const stuck = new Map<string, { stuckReasons: () => Promise<unknown> }>();

it.each(Object.keys(WAIT_REASONS) as WaitCode[])('explains a pass that waits with the reason %s', async (code) => {
  const key = await aPassThatWaits(code);
  const of = await through({
    SIGNERS: { getByName: (name: string) => stuck.get(name) ?? SIGNERS.getByName(name as never) },
  });
  const [reason, remedy] = [WAIT_REASONS[code].text, remedyOf({ code })];
  // On a busy machine an object may not answer in time, and the answer says so: try again.
  await eventually(async () =>
    expect(await explain(key, of)).toMatchObject({ code, reason, remedy, signer: null, node: null }),
  );
});

describe('the end of a pass', () => {
  const ended = (overrides: object) => aPass({ gatekeeperNetwork: newGatekeeperNetwork(), ...overrides });

  it.each([
    ['active', {}, 'the pass is ACTIVE, and dApps accept the wallet'],
    ['unpublished', { place: 'object' }, 'the pass is ACTIVE, and the database does not show it yet'],
    ['expired', { expiry: NOW - 60 }, 'the pass has expired'],
    ['revoked', { state: 'REVOKED' }, 'the pass is revoked'],
    [
      'rejected',
      { state: 'REJECTED', reason: 'the contract refuses it: Common__NotPermitted' },
      'the chain refused the issuance: the contract refuses it: Common__NotPermitted',
    ],
  ] as const)('says that a pass is %s', async (code, overrides, reason) => {
    const key = await ended(overrides);
    const expected = {
      code,
      reason,
      remedy: expect.stringMatching(/\.$/),
      readModel: code === 'unpublished' ? 'missing' : 'current',
    };
    // The announcement of an expiry may be on its way to the database.
    await eventually(async () => expect(await explain(key, ops, key.gatekeeperNetwork)).toMatchObject(expected));
  });

  it('says that dApps may refuse the token of a removed gatekeeper, until the gatekeeper is back', async () => {
    const key = await ended({});
    const gatekeeper = `0x${crypto.randomUUID().replaceAll('-', '').padEnd(40, '0')}`;
    const { gatekeeperNetwork, network } = key;
    const row = 'gatekeeper_network = ?1 AND wallet = ?2';
    await DB.prepare(`UPDATE passes SET issued_by = ?3 WHERE ${row}`)
      .bind(gatekeeperNetwork, key.wallet, gatekeeper)
      .run();
    const removed = { gatekeeperNetwork, network, gatekeeper, contract: defaultContract(key) };
    const codes = async () => [(await explain(key)).code, (await explain(key, ops, gatekeeperNetwork)).code];
    await addRemovedGatekeeper(DB, { ...removed, network: 'baseSepolia' }, NOW as UnixSeconds);
    await addRemovedGatekeeper(DB, { ...removed, gatekeeper: '0x1' }, NOW as UnixSeconds);
    expect(await codes()).toEqual(['active', 'active']);
    await addRemovedGatekeeper(DB, removed, NOW as UnixSeconds);
    expect(await codes()).toEqual(['gatekeeper-removed', 'gatekeeper-removed']);
    await deleteRemovedGatekeeper(DB, removed);
    expect(await codes()).toEqual(['active', 'active']);
  });

  it('says that a pass is frozen', async () => {
    const key = await ended({ state: 'FROZEN' });
    // Another wanted state would be a step.
    expect(await explain(key)).toMatchObject({ code: 'frozen', record: { onChainState: 'FROZEN' } });
  });
});

describe('a look-up of', () => {
  it('a wallet without a pass says so', async () => {
    const answer = await ops.call('GET', pathOf(sepoliaKey(aWallet(), newGatekeeperNetwork())));
    expectProblem(answer, 'pass_not_found');
    expect(JSON.parse(answer.text).detail).toContain('no partner has requested one');
    const key = await aPass({ gatekeeperNetwork: newGatekeeperNetwork() });
    expectProblem(await ops.call('GET', pathOf(key, newGatekeeperNetwork())), 'pass_not_found');
  });

  it.each([
    ['unknown_network', 'ethereum/nowhere', aWallet()],
    ['unknown_network', 'solana/sepolia', aWallet()],
    ['invalid_wallet', 'ethereum/sepolia', '0x12'],
    ['invalid_request', 'ethereum/sepolia', `${aWallet()}?gatekeeperNetwork=acme`],
    ['invalid_request', 'ethereum/sepolia', `${aWallet()}?wallet=1`],
  ] as const)('a wrong name is refused with %s: %s', async (code, on, wallet) => {
    expectProblem(await ops.call('GET', `/admin/passes/${on}/${wallet}`), code);
  });

  it('a wallet in several gatekeeper networks and databases shows each pass', async () => {
    const wallet = aWallet();
    const keys = [newGatekeeperNetwork(), newGatekeeperNetwork(), newGatekeeperNetwork()].map((each) =>
      sepoliaKey(wallet, each),
    );
    for (const [index, key] of keys.entries()) {
      await placeNetwork(key.gatekeeperNetwork, index === 2 ? SECOND : 'DB');
      await issueWithSigner(key);
      await publish(key, index === 2 ? second : DB);
    }
    // The same wallet on another network is another pass.
    const elsewhere = { ...keys[0], network: 'polygonAmoy' } as PassKey;
    await issueWithSigner(elsewhere);
    await publish(elsewhere);
    const { passes, unreadShards } = await lookUp(keys[0] as PassKey);
    expect(new Set(passes.map(({ pass }: { pass: { gatekeeperNetwork: string } }) => pass.gatekeeperNetwork))).toEqual(
      new Set(keys.map(({ gatekeeperNetwork }) => gatekeeperNetwork)),
    );
    expect([passes.length, unreadShards]).toEqual([3, undefined]);
    const lower = { ...keys[1], wallet: wallet.toLowerCase() as Wallet } as PassKey;
    const [only] = (await lookUp(lower, ops, lower.gatekeeperNetwork)).passes;
    expect(only.pass).toMatchObject({ gatekeeperNetwork: lower.gatekeeperNetwork, walletAddress: wallet });
  });
});

describe('while a part is away', () => {
  vi.spyOn(console, 'error').mockReturnValue();
  const away = () => Object.assign(new UnreliableDatabase(), { manner: failing('D1_ERROR: Network connection lost.') });

  it('the object answers without D1 if the gatekeeper network is given', async () => {
    const key = await aPass({ gatekeeperNetwork: newGatekeeperNetwork() });
    const of = await through({ DB: away(), DB_1: away() });
    const { passes, unreadShards } = await lookUp(key, of, key.gatekeeperNetwork);
    expect(passes).toMatchObject([{ code: 'active', readModel: 'unread', record: { onChainState: 'ACTIVE' } }]);
    expect(unreadShards).toEqual(['DB', 'DB_1']);
    const answer = await of.call('GET', pathOf(key));
    expectProblem(answer, 'temporarily_unavailable');
    expect(JSON.parse(answer.text).detail).toContain('?gatekeeperNetwork=KEY');
    // The object is sure that there is no such pass.
    expectProblem(await of.call('GET', pathOf(key, newGatekeeperNetwork())), 'pass_not_found');
  });

  it('a database that is away hides no pass of another one', async () => {
    const key = await aPass({ gatekeeperNetwork: newGatekeeperNetwork() });
    const { passes, unreadShards } = await lookUp(key, await through({ DB_1: away() }));
    expect([passes.length, unreadShards]).toEqual([1, ['DB_1']]);
  });

  it('the database shows the last known record of an object that cannot be reached', async () => {
    const key = await aPass({ gatekeeperNetwork: newGatekeeperNetwork() });
    const of = await through({ PASSES: { getByName: () => ({ inspect: () => Promise.reject(new Error('reset')) }) } });
    const [reason, remedy] = [PROGRESS['object-unreachable'], remedyOf({ code: 'object-unreachable' })];
    const expected = { code: 'object-unreachable', reason, remedy, signer: null, node: null };
    expect(await explain(key, of)).toMatchObject({ ...expected, record: { onChainState: 'ACTIVE' } });
    const lost = await aPass({ gatekeeperNetwork: newGatekeeperNetwork(), place: 'object' });
    const explained = await explain(lost, of, lost.gatekeeperNetwork);
    expect(explained).toMatchObject({ ...expected, readModel: 'missing' });
    expect([explained.record, explained.pass.id]).toEqual([undefined, undefined]);
  });

  it('an object without the pass of a row says so, with the last known record', async () => {
    const key = await aPass({ gatekeeperNetwork: newGatekeeperNetwork() });
    const of = await through({ PASSES: { getByName: () => ({ inspect: async () => undefined }) } });
    const [reason, remedy] = [PROGRESS['object-lost'], remedyOf({ code: 'object-lost' })];
    const expected = { code: 'object-lost', reason, remedy, readModel: 'current', record: { onChainState: 'ACTIVE' } };
    expect(await explain(key, of)).toMatchObject(expected);
  });

  it('a signer that does not answer is the reason', async () => {
    const key = await aWaitingPass();
    const of = await through({
      SIGNERS: { getByName: () => ({ stuckReasons: () => Promise.reject(new Error('reset')) }) },
    });
    expect(await explain(key, of)).toMatchObject({
      code: 'signer-unanswered',
      signer: { balance: null, why: 'the signer does not answer' },
      node: null,
    });
  });

  it('a node that does not answer shows', async () => {
    const key = await aWaitingPass();
    const status = async () => ({
      ...(await SIGNERS.getByName(signerNameOf(sepolia())).status()),
      balance: null,
      why: 'the nodes do not answer',
    });
    const stuckReasons = async () => [{ code: 'nodes-unanswered', text: WAIT_REASONS['nodes-unanswered'].text }];
    const of = await through({ SIGNERS: { getByName: () => ({ status, stuckReasons }) } });
    expect(await explain(key, of)).toMatchObject({
      code: 'nodes-unanswered',
      node: { answers: false, why: 'the nodes do not answer' },
    });
  });

  it('a pass whose step has not begun says so', async () => {
    const key = sepoliaKey(aWallet(), newGatekeeperNetwork());
    await issueWithSigner(key);
    await runInDurableObject(objectOf(key), (_, { storage }) => storage.deleteAlarm());
    expect(await explain(key, ops, key.gatekeeperNetwork)).toMatchObject({ code: 'not-begun', readModel: 'missing' });
  });
});

it('shows no secret, and no pass of an unknown signer as configured', async () => {
  const key = await aPass({
    gatekeeperNetwork: newGatekeeperNetwork() as GatekeeperNetwork,
    state: 'REQUESTED',
    ...UNSENT,
  });
  const { text } = await ops.call('GET', pathOf(key, key.gatekeeperNetwork));
  expect(JSON.parse(text).passes[0]).toMatchObject({ code: 'not-configured', signer: null });
  for (const secret of [...GATEKEEPER_KEYS.map((each) => each.slice(2)), ...Object.values(inject('localnet').rpc)])
    expect(text).not.toContain(secret);
});
