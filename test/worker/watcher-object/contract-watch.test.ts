import type { Hex } from 'viem';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, it, vi } from 'vitest';
import { CONTRACT_BUILDS, type SeenContracts } from '../../../src/chain/ethereum/contract-control.ts';
import { openControlReader } from '../../../src/chain/ethereum/read-control.ts';
import { openWatch } from '../../../src/chain/open-watch.ts';
import { type Secret, secret } from '../../../src/lib/secret.ts';
import { HOUR_MS, MINUTE_MS } from '../../../src/lib/units.ts';
import { formatSignerName } from '../../../src/network/network.ts';
import { trackInFlight } from '../../../src/signer-object/confirm.ts';
import { ContractCodes } from '../../../src/signer-object/contract-codes.ts';
import { stuckReasonFor } from '../../../src/signer-object/operator.ts';
import { addSteps } from '../../../src/signer-object/queue.ts';
import { nextAlarm } from '../../../src/signer-object/schedule.ts';
import { sendWaiting } from '../../../src/signer-object/send.ts';
import type { Signer } from '../../../src/signer-object/signer.ts';
import { ContractWatch } from '../../../src/watcher-object/contract-watch.ts';
import type { WatchedNetwork } from '../../../src/watcher-object/watched-network.ts';
import { ADMIN, addForwarder, deployWithAdmin, upgrade } from '../chain/ethereum/administered-contract.ts';
import { A_MINUTE, aStep, makeBlocksByHand, mine, sepolia } from '../chain/ethereum/node.ts';
import { openEndpoint, serveEndpoints } from '../lies/lying-endpoints.ts';
import { answerOf, sent, signedFor } from '../signer-object/send-step.ts';
import { withSigner } from '../signer-object/with-signer.ts';
import { TestWatcher } from './a-watcher.ts';

/**
 * The watch of a contract that has a super admin, on the real node, and a signer that the watcher tells. The endpoints are the node itself,
 * or one in front of it that lies. The test makes the blocks, and calls the two parts as their objects do.
 */

const NODE = inject('localnet').rpc.sepolia as string;
const AWAY = 'http://127.0.0.1:9/';
const NO_CLOCK = { askNode: <T>(call: T) => call, answerForNode: (_: unknown, truth: unknown) => truth };

let lines: Record<string, unknown>[] = [];
const eventsOf = (event: string) => lines.filter((line) => line.event === event);

makeBlocksByHand();
beforeAll(() => serveEndpoints());
beforeEach(() => {
  lines = [];
  for (const level of ['log', 'error'] as const)
    vi.spyOn(console, level).mockImplementation((line: string) => void lines.push(JSON.parse(line)));
});
afterEach(() => void vi.useRealTimers());
afterAll(() => void vi.restoreAllMocks());

/** Lets that many milliseconds pass on the clock of the objects. */
const wait = (ms: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms });

/** An endpoint that shows other code of every contract while `isLying`. */
function openLiar() {
  const liar = { isLying: true, url: '' };
  const lie = {
    name: 'code: another byte',
    answer: ({ method }: { method: string }, truth: unknown) =>
      method === 'eth_getCode' && liar.isLying ? { result: `${truth}00` } : undefined,
  };
  liar.url = openEndpoint({ node: NODE, lies: () => [lie], scene: {}, clock: NO_CLOCK });
  return liar;
}

interface Watching {
  readonly contract: Hex;
  readonly endpoints?: readonly string[];
  readonly codeHash?: Hex | undefined;
  /** The contracts of gatekeeper networks. */
  readonly listed?: readonly Hex[];
  /** A check begins after it. */
  readonly until?: Promise<void>;
}

/** A signer and the watcher of its network in one configuration. */
interface Scene {
  readonly signer: Signer & { readonly contracts: ContractCodes };
  readonly watch: ContractWatch;
  readonly watched: WatchedNetwork;
  /** The watcher checks the contracts at once, and tells the signer. */
  readonly check: () => Promise<void>;
  /** An interval of the watcher. */
  readonly interval: () => Promise<void>;
  /** The calls between the two: they fail with `fault`, and `told` has those of the watcher. */
  readonly calls: { fault?: Error | undefined; told: SeenContracts[] };
}

/** Returns the storage with values of its own: the objects of signer and watcher have a store each. */
const asStorage = (storage: DurableObjectStorage, owner: string) =>
  ({
    kv: {
      get: (key: string) => storage.kv.get(`${owner} ${key}`),
      put: (key: string, value: unknown) => storage.kv.put(`${owner} ${key}`, value),
    },
  }) as unknown as DurableObjectStorage;

/** Runs the function with a signer whose contract is watched. A call of `deploy` starts both again with another configuration. */
function withWatch(
  name: string,
  { contract, endpoints = [NODE, NODE], listed = [], until }: Watching,
  part: (scene: Scene, deploy: (changes?: Partial<Watching>) => Scene) => Promise<void>,
): Promise<void> {
  const on = sepolia();
  return withSigner(name, async (signer, storage) => {
    const deploy = (changes: Partial<Watching> = {}): Scene => {
      const network = { ...on.network, gateway: contract, codeHash: changes.codeHash };
      const urls: readonly Secret<string>[] = (changes.endpoints ?? endpoints).map(secret);
      const read = openControlReader(network, urls);
      const watched: WatchedNetwork = {
        network,
        isFollowed: false,
        port: openWatch(network, urls, {}),
        readControls: async (questions) => {
          await until;
          return read(questions);
        },
        endpoints: urls.length,
        intervalMs: 0,
        signers: [formatSignerName('ethereum', 'sepolia', ADMIN)],
      };
      const calls: Scene['calls'] = { told: [] };
      const within = async <T>(answer: () => Promise<T> | T): Promise<T> => {
        if (calls.fault !== undefined) throw calls.fault;
        return answer();
      };
      const learn = (seen: SeenContracts) =>
        within(() => {
          calls.told.push(seen);
          contracts.learn(Date.now(), seen);
          return true;
        });
      const contracts = new ContractCodes({ ...signer, storage: asStorage(storage, 'signer'), network }, (asked) =>
        within(() => watch.answer(watched, asked)),
      );
      const watch = new ContractWatch(asStorage(storage, 'watcher').kv, {
        database: { findContracts: async () => changes.listed ?? listed, findOwners: async () => new Map() },
        signers: { getByName: () => ({ learnContracts: learn }) } as never,
      });
      return {
        signer: { ...signer, network, contracts },
        watch,
        watched,
        check: () => watch.run(watched, true),
        interval: () => watch.run(watched),
        calls,
      };
    };
    await part(deploy(), deploy);
  });
}

/** Returns the contract of a scene as the signer shows it, after it has asked the watcher. */
async function statusOf({ signer, watch, watched }: Scene) {
  signer.contracts.learn(Date.now(), await watch.answer(watched, []));
  return signer.contracts.statuses(Date.now())[0];
}
const reasonOf = (signer: Signer, step: ReturnType<typeof aStep>) =>
  stuckReasonFor(signer, { ...step, gatekeeperNetwork: step.key.gatekeeperNetwork }, Date.now()).code;

it('stops steps that give access when two endpoints show unknown code, until the operator accepts it', async () => {
  const contract = await deployWithAdmin();
  await withWatch('upgraded', { contract }, async (scene, deploy) => {
    const { signer, check } = scene;
    const { step: issued } = await sent(signer, aStep({ contract }));
    await mine(A_MINUTE);
    await trackInFlight(signer);
    expect(await statusOf(scene)).toMatchObject({
      contract,
      code: 'public-build',
      codeHash: CONTRACT_BUILDS.gatewayToken.codeHash,
      superAdmins: [ADMIN],
    });
    expect(await statusOf(scene)).toMatchObject({ confirmed: true, holdsSteps: false, changes: 0, changedAt: null });

    await upgrade(contract);
    await check();
    const [changed] = eventsOf('watcher.contract_changed');
    expect(changed).toMatchObject({
      contract,
      confirmed: true,
      before: { code_hash: CONTRACT_BUILDS.gatewayToken.codeHash },
    });
    const codeHash = (await statusOf(scene))?.codeHash as Hex;
    expect(eventsOf('watcher.contract_code_unknown')).toMatchObject([
      { contract, confirmed: true, code_hash: codeHash },
    ]);
    expect(await statusOf(scene)).toMatchObject({ code: 'unknown', holdsSteps: true, changes: 1 });

    const waiting = [
      aStep({ contract }),
      aStep({ contract, kind: 'unfreeze', wallet: issued.key.wallet }),
      aStep({ contract, kind: 'set-expiry', expiry: 1_900_000_000 }),
    ];
    const frozen = aStep({ contract, kind: 'freeze', wallet: issued.key.wallet });
    addSteps(signer, [...waiting, frozen]);
    expect(await sendWaiting(signer)).toMatchObject([{ id: frozen.id }]);
    for (const step of waiting) expect(reasonOf(signer, step)).toBe('contract-code-unknown');
    expect(nextAlarm(signer, Date.now())).toBeLessThanOrEqual(Date.now() + MINUTE_MS);
    await mine();
    await trackInFlight(signer);
    const revoked = aStep({ contract, kind: 'revoke', wallet: issued.key.wallet });
    addSteps(signer, [revoked]);
    expect(await sendWaiting(signer)).toMatchObject([{ id: revoked.id }]);

    // No word of the watcher is needed.
    const accepted = deploy({ codeHash });
    accepted.calls.fault = new Error('away');
    expect(await sendWaiting(accepted.signer)).toContainEqual(expect.objectContaining({ id: waiting[0]?.id }));
    expect(eventsOf('signer.contract_code_known')).toMatchObject([{ contract }]);
    accepted.calls.fault = undefined;
    expect(await statusOf(accepted)).toMatchObject({ code: 'accepted', holdsSteps: false, changes: 1 });
  });
});

it('signs no step before the first check of a contract with unknown code', async () => {
  const contract = await deployWithAdmin();
  await upgrade(contract);
  await withWatch('unknown-from-the-start', { contract }, async ({ signer }) => {
    const step = aStep({ contract });
    addSteps(signer, [step]);
    expect(await sendWaiting(signer)).toEqual([]);
    expect(reasonOf(signer, step)).toBe('contract-code-unknown');
    expect(eventsOf('watcher.contract_changed')).toEqual([]);
    expect(eventsOf('watcher.contract_code_unknown')).toHaveLength(1);
  });
});

it('stops only the steps of the contract whose code is unknown', async () => {
  const { gateway } = sepolia().network;
  const upgraded = await deployWithAdmin();
  await upgrade(upgraded);
  await withWatch('beside', { contract: gateway }, async ({ signer, check }) => {
    const [ours, theirs] = [aStep({ contract: gateway }), aStep({ contract: upgraded })];
    addSteps(signer, [ours, theirs]);
    expect(await sendWaiting(signer)).toMatchObject([{ id: ours.id }]);
    expect(reasonOf(signer, theirs)).toBe('contract-code-unknown');
    await check();
    const statuses = signer.contracts.statuses(Date.now()).toSorted((a, b) => (a.code < b.code ? -1 : 1));
    expect(statuses).toMatchObject([
      { contract: gateway, code: 'public-build', holdsSteps: false },
      { contract: upgraded, code: 'unknown', holdsSteps: true },
    ]);
  });
});

it('signs no step while the first check of its contract runs', async () => {
  const contract = await deployWithAdmin();
  await upgrade(contract);
  const { promise: until, resolve: begin } = Promise.withResolvers<void>();
  await withWatch('first-check', { contract, until }, async ({ signer, interval }) => {
    const step = aStep({ contract });
    addSteps(signer, [step]);
    const first = interval();
    const run = sendWaiting(signer);
    begin();
    expect(await run).toEqual([]);
    await first;
    expect(reasonOf(signer, step)).toBe('contract-code-unknown');
  });
});

it('signs no step that gives access before the first word of the watcher, and asks again after five seconds', async () => {
  const contract = await deployWithAdmin();
  await withWatch('no-word', { contract }, async ({ signer, calls }) => {
    calls.fault = new Error('away');
    const [issued, frozen] = [aStep({ contract }), aStep({ contract, kind: 'freeze' })];
    addSteps(signer, [issued, frozen]);
    await sendWaiting(signer);
    expect(signedFor(signer, issued.id)).toEqual([]);
    expect(reasonOf(signer, issued)).toBe('contract-code-unread');
    expect(reasonOf(signer, frozen)).not.toBe('contract-code-unread');
    expect(eventsOf('watcher.unreachable')).toHaveLength(1);
    expect(signer.contracts.statuses(Date.now())).toEqual([]);
    calls.fault = undefined;
    wait(6_000);
    expect(await sendWaiting(signer)).toMatchObject([{ id: issued.id }]);
  });
});

it('tells a signer again that did not answer, and ignores a word that is older than another', async () => {
  const contract = await deployWithAdmin();
  await withWatch('late-words', { contract }, async ({ signer, calls, check, interval }) => {
    await check();
    const [earlier = {}] = calls.told;
    expect(Object.keys(earlier)).toEqual([contract]);
    await check();
    await interval();
    expect(calls.told).toHaveLength(1);
    await upgrade(contract);
    calls.fault = new Error('away');
    await check();
    expect(signer.contracts.isHolding).toBe(false);
    expect(eventsOf('signer.unreachable')).toHaveLength(1);
    calls.fault = undefined;
    await interval();
    expect(signer.contracts.isHolding).toBe(true);
    signer.contracts.learn(Date.now(), earlier);
    expect(signer.contracts.isHolding).toBe(true);
    await interval();
    expect(calls.told).toHaveLength(2);
  });
});

it('holds the steps although the watcher or the signer loses its store', async () => {
  const contract = await deployWithAdmin();
  await upgrade(contract);
  await withWatch('lost-stores', { contract }, async ({ signer, check }, deploy) => {
    await check();
    const step = aStep({ contract });
    addSteps(signer, [step]);
    const { kv } = signer.storage;
    const stored = kv.get('signer contracts');
    kv.delete('signer contracts');
    const asking = deploy().signer;
    expect(await sendWaiting(asking)).toEqual([]);
    expect(reasonOf(asking, step)).toBe('contract-code-unknown');
    kv.put('signer contracts', stored);
    kv.delete('watcher contracts');
    const without = deploy({ endpoints: [AWAY, AWAY] });
    await without.check();
    without.signer.steps.retryNow([step.id]);
    expect(await sendWaiting(without.signer)).toEqual([]);
    expect(reasonOf(without.signer, step)).toBe('contract-code-unknown');
  });
});

it('forgets a contract that no gatekeeper network has any longer, unless steps wait for its code', async () => {
  const { gateway } = sepolia().network;
  const [used, dropped, awaited] = [await deployWithAdmin(), await deployWithAdmin(), await deployWithAdmin()];
  await upgrade(awaited);
  const listed = [used, dropped, awaited];
  await withWatch('unused', { contract: gateway, listed }, async ({ signer, interval }, deploy) => {
    const contractsOf = (each: Signer & { readonly contracts: ContractCodes }) =>
      each.contracts.statuses(Date.now()).map(({ contract }) => contract);
    await interval();
    expect(contractsOf(signer).toSorted()).toEqual([gateway, ...listed].toSorted());
    const later = deploy({ listed: [used] });
    await later.check();
    await later.signer.contracts.refresh(Date.now());
    expect(contractsOf(later.signer).toSorted()).toEqual([gateway, used, awaited].toSorted());
  });
});

it('continues when two endpoints show known code again, and not when only one does', async () => {
  const contract = await deployWithAdmin();
  const liars = [openLiar(), openLiar()] as const;
  const endpoints = liars.map(({ url }) => url);
  await withWatch('restored', { contract, endpoints }, async ({ signer }, deploy) => {
    const step = aStep({ contract });
    addSteps(signer, [step]);
    expect(await sendWaiting(signer)).toEqual([]);
    for (const liar of liars) liar.isLying = false;
    const alone = deploy({ endpoints: [NODE, AWAY] });
    await alone.check();
    expect(await statusOf(alone)).toMatchObject({ code: 'public-build', confirmed: false, holdsSteps: true });
    expect(await sendWaiting(alone.signer)).toEqual([]);
    const both = deploy();
    await both.check();
    expect(await statusOf(both)).toMatchObject({ code: 'public-build', confirmed: true, holdsSteps: false });
    expect(await sendWaiting(both.signer)).toMatchObject([{ id: step.id }]);
  });
});

it('only warns while a single endpoint shows unknown code', async () => {
  const contract = await deployWithAdmin();
  await upgrade(contract);
  await withWatch('alone', { contract, endpoints: [NODE] }, async (scene) => {
    const { signer } = scene;
    const { step, first } = await sent(signer, aStep({ contract }));
    expect(signedFor(signer, step.id)).toHaveLength(1);
    expect(first.identifier).toBeDefined();
    expect(await statusOf(scene)).toMatchObject({ code: 'unknown', confirmed: false, holdsSteps: false });
    expect(eventsOf('watcher.contract_code_unknown')).toMatchObject([{ confirmed: false }]);
  });
});

it('changes nothing when one of two endpoints lies about the code, and asks again after five minutes', async () => {
  const contract = await deployWithAdmin();
  const liar = openLiar();
  liar.isLying = false;
  await withWatch('disputed', { contract, endpoints: [liar.url, NODE] }, async (scene) => {
    const { signer, check, interval } = scene;
    await check();
    const before = await statusOf(scene);
    liar.isLying = true;
    await check();
    expect(eventsOf('watcher.contract_disputed')).toMatchObject([{ contract }]);
    expect(await statusOf(scene)).toEqual(before);
    const { step } = await sent(signer, aStep({ contract }));
    expect(signedFor(signer, step.id)).toHaveLength(1);
    liar.isLying = false;
    wait(5 * MINUTE_MS - 1_000);
    await interval();
    expect(await statusOf(scene)).toEqual(before);
    wait(1_000);
    await interval();
    expect(await statusOf(scene)).toMatchObject({ code: 'public-build', changes: 0 });
    expect((await statusOf(scene))?.checkedAt).toBeGreaterThan(before?.checkedAt ?? 0);
    expect(eventsOf('watcher.contract_changed')).toEqual([]);
  });
});

it('signs steps of a contract of which the endpoints show nothing certain at first, until two show unknown code', async () => {
  const contract = await deployWithAdmin();
  const liar = openLiar();
  await withWatch('disputed-first', { contract, endpoints: [liar.url, NODE] }, async ({ signer, interval }) => {
    const { step } = await sent(signer, aStep({ contract }));
    expect(signedFor(signer, step.id)).toHaveLength(1);
    liar.isLying = false;
    await upgrade(contract);
    wait(5 * MINUTE_MS);
    await interval();
    expect(signer.contracts.isHolding).toBe(true);
  });
});

it('changes nothing while no endpoint answers', async () => {
  const contract = await deployWithAdmin();
  await withWatch('unanswered', { contract }, async (scene, deploy) => {
    await scene.check();
    const before = await statusOf(scene);
    const away = deploy({ endpoints: [AWAY, AWAY] });
    await away.check();
    expect(eventsOf('watcher.contract_unread')).toMatchObject([{ contract }]);
    expect(await statusOf(away)).toEqual(before);
  });
});

it('reports a super admin that becomes a forwarder, and signs on', async () => {
  const contract = await deployWithAdmin();
  await withWatch('forwarder', { contract }, async (scene) => {
    await scene.check();
    await addForwarder(contract);
    await scene.check();
    expect(eventsOf('watcher.contract_changed')).toMatchObject([
      { confirmed: true, before: { forwarders: [] }, after: { forwarders: [ADMIN], super_admins: [ADMIN] } },
    ]);
    expect(await statusOf(scene)).toMatchObject({ code: 'public-build', holdsSteps: false, changes: 1 });
    const { step } = await sent(scene.signer, aStep({ contract }));
    expect(answerOf(scene.signer, step.id)?.status.type).toBe('sent');
  });
});

it('costs one request per endpoint and hour, also if the objects restart', async () => {
  const contract = await deployWithAdmin();
  await withWatch('cost', { contract }, async (scene, deploy) => {
    await scene.interval();
    const requests = vi.mocked(globalThis.fetch);
    requests.mockClear();
    wait(HOUR_MS - 1_000);
    await scene.interval();
    const restarted = deploy();
    await restarted.interval();
    await restarted.signer.contracts.refresh(Date.now(), [{ step: aStep({ contract }) }]);
    expect(requests).not.toHaveBeenCalled();
    wait(1_000);
    await Promise.all([restarted.interval(), restarted.watch.answer(restarted.watched, [contract])]);
    expect(requests).toHaveBeenCalledTimes(2);
  });
});

it('watches the contract of the deployment, which is the public build without a known admin, also if it is off', async () => {
  const watcher = await TestWatcher.begin({ settings: { watch: false } });
  expect(await watcher.status()).toMatchObject({ isOn: false, coveredUntil: null });
  expect(await watcher.object.contractsSeen([])).toMatchObject({
    [sepolia().network.gateway]: {
      codeHash: CONTRACT_BUILDS.gatewayToken.codeHash,
      superAdmins: [],
      forwarders: [],
      confirmed: false,
    },
  });
});
