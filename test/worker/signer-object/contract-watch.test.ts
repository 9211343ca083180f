import { env } from 'cloudflare:workers';
import type { Hex } from 'viem';
import { afterAll, beforeAll, beforeEach, expect, inject, it, vi } from 'vitest';
import { openControlReader, PUBLIC_BUILD } from '../../../src/chain/ethereum/contract-control.ts';
import { configOf } from '../../../src/config/parse-config.ts';
import type { EnabledEthereum } from '../../../src/config/signers.ts';
import { type Secret, secret } from '../../../src/lib/secret.ts';
import { HOUR_MS, MINUTE_MS } from '../../../src/lib/time.ts';
import { trackInFlight } from '../../../src/signer-object/confirm.ts';
import { ContractWatch, openContractWatch } from '../../../src/signer-object/contract-watch.ts';
import { stuckReasonFor } from '../../../src/signer-object/operator.ts';
import { addSteps } from '../../../src/signer-object/queue.ts';
import { nextAlarm } from '../../../src/signer-object/schedule.ts';
import { sendWaiting } from '../../../src/signer-object/send.ts';
import type { Signer } from '../../../src/signer-object/signer.ts';
import { eventually } from '../../eventually.ts';
import { ADMIN, addForwarder, deployWithAdmin, upgrade } from '../chain/ethereum/administered-contract.ts';
import { A_MINUTE, aStep, makeBlocksByHand, mine, sepolia } from '../chain/ethereum/node.ts';
import { openEndpoint, serveEndpoints } from '../lies/lying-endpoints.ts';
import { answerOf, sent, signedFor } from './send-step.ts';
import { withSigner } from './with-signer.ts';

/**
 * The watch of a contract that has a super admin, on the real node. The endpoints are the node itself, or one in front of it that
 * lies. The test makes the blocks.
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
afterAll(() => void vi.restoreAllMocks());

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
  readonly intervalMs?: number;
  /** A check begins after it. */
  readonly until?: Promise<void>;
}

/** Runs the function with a signer that watches the contract. A call of `watch` gives the signer another configuration. */
function withWatch(
  name: string,
  { contract, endpoints = [NODE, NODE], intervalMs = HOUR_MS, until }: Watching,
  part: (
    signer: Signer & { contracts: ContractWatch },
    watch: (changes?: Partial<Watching>) => Signer & { contracts: ContractWatch },
  ) => Promise<void>,
): Promise<void> {
  const base = sepolia();
  const on: EnabledEthereum = { ...base, network: { ...base.network, gateway: contract } };
  return withSigner(
    name,
    async (signer, storage) => {
      const watch = (changes: Partial<Watching> = {}) => {
        const network = { ...on.network, codeHash: changes.codeHash };
        const urls: readonly Secret<string>[] = (changes.endpoints ?? endpoints).map(secret);
        const subject = { storage, signer: signer.name, steps: signer.steps, network };
        const read = openControlReader(network, urls);
        const readLater: typeof read = async (questions) => {
          await until;
          return read(questions);
        };
        return { ...signer, contracts: new ContractWatch(subject, [ADMIN], intervalMs, readLater) };
      };
      await part(watch(), watch);
    },
    { on },
  );
}

const statusOf = ({ contracts }: { contracts: ContractWatch }) => contracts.statuses()[0];
const reasonOf = (signer: Signer, step: ReturnType<typeof aStep>) =>
  stuckReasonFor(signer, { ...step, gatekeeperNetwork: step.key.gatekeeperNetwork }, Date.now()).code;

it('stops steps that give access when two endpoints show unknown code, until the operator accepts it', async () => {
  const contract = await deployWithAdmin();
  await withWatch('upgraded', { contract }, async (signer, watch) => {
    const { contracts } = signer;
    const { step: issued } = await sent(signer, aStep({ contract }));
    await mine(A_MINUTE);
    await trackInFlight(signer);
    expect(statusOf(signer)).toMatchObject({
      contract,
      code: 'public-build',
      codeHash: PUBLIC_BUILD,
      superAdmins: [ADMIN],
    });
    expect(statusOf(signer)).toMatchObject({ confirmed: true, holdsSteps: false, changes: 0, changedAt: null });

    await upgrade(contract);
    const later = Date.now() + HOUR_MS;
    await contracts.check(later);
    const [changed] = eventsOf('signer.contract_changed');
    expect(changed).toMatchObject({ contract, confirmed: true, before: { code_hash: PUBLIC_BUILD } });
    const codeHash = statusOf(signer)?.codeHash as Hex;
    expect(eventsOf('signer.contract_code_unknown')).toMatchObject([
      { contract, confirmed: true, code_hash: codeHash },
    ]);
    expect(statusOf(signer)).toMatchObject({ code: 'unknown', holdsSteps: true, changes: 1 });

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

    const accepted = watch({ codeHash });
    await accepted.contracts.check(Date.now());
    expect(eventsOf('signer.contract_code_known')).toMatchObject([{ contract }]);
    expect(statusOf(accepted)).toMatchObject({ code: 'accepted', holdsSteps: false, changes: 1 });
    expect(await sendWaiting(accepted)).toContainEqual(expect.objectContaining({ id: waiting[0]?.id }));
  });
});

it('signs no step before the first check of a contract with unknown code', async () => {
  const contract = await deployWithAdmin();
  await upgrade(contract);
  await withWatch('unknown-from-the-start', { contract }, async (signer) => {
    const step = aStep({ contract });
    addSteps(signer, [step]);
    expect(await sendWaiting(signer)).toEqual([]);
    expect(reasonOf(signer, step)).toBe('contract-code-unknown');
    expect(eventsOf('signer.contract_changed')).toEqual([]);
    expect(eventsOf('signer.contract_code_unknown')).toHaveLength(1);
  });
});

it('stops only the steps of the contract whose code is unknown', async () => {
  const { gateway } = sepolia().network;
  const upgraded = await deployWithAdmin();
  await upgrade(upgraded);
  await withWatch('beside', { contract: gateway }, async (signer) => {
    const [ours, theirs] = [aStep({ contract: gateway }), aStep({ contract: upgraded })];
    addSteps(signer, [ours, theirs]);
    expect(await sendWaiting(signer)).toMatchObject([{ id: ours.id }]);
    expect(reasonOf(signer, theirs)).toBe('contract-code-unknown');
    expect(signer.contracts.statuses()).toMatchObject([
      { contract: gateway, code: 'public-build', holdsSteps: false },
      { contract: upgraded, code: 'unknown', holdsSteps: true },
    ]);
  });
});

it('signs no step while the first check of its contract runs', async () => {
  const contract = await deployWithAdmin();
  await upgrade(contract);
  const { promise: until, resolve: begin } = Promise.withResolvers<void>();
  await withWatch('first-check', { contract, until }, async (signer) => {
    const step = aStep({ contract });
    addSteps(signer, [step]);
    const first = signer.contracts.check(Date.now());
    const run = sendWaiting(signer);
    await eventually(() => expect(signer.contracts.nextCheck(Date.now())).toBeGreaterThan(Date.now()));
    begin();
    expect(await run).toEqual([]);
    await first;
    expect(reasonOf(signer, step)).toBe('contract-code-unknown');
  });
});

it('forgets a contract a day after its last step, unless steps wait for its code', async () => {
  const { gateway } = sepolia().network;
  const [used, awaited] = [await deployWithAdmin(), await deployWithAdmin()];
  await withWatch('unused', { contract: gateway }, async (signer, watch) => {
    await signer.contracts.checkNew([aStep({ contract: used })], Date.now());
    await upgrade(awaited);
    addSteps(signer, [aStep({ contract: awaited })]);
    expect(await sendWaiting(signer)).toEqual([]);
    const watched = () =>
      watch()
        .contracts.statuses()
        .map(({ contract }) => contract);
    expect(watched().toSorted()).toEqual([gateway, used, awaited].toSorted());
    await watch().contracts.check(Date.now() + 23 * HOUR_MS);
    expect(watched()).toContain(used);
    await watch().contracts.check(Date.now() + 25 * HOUR_MS);
    expect(watched().toSorted()).toEqual([gateway, awaited].toSorted());
  });
});

it('continues when two endpoints show known code again, and not when only one does', async () => {
  const contract = await deployWithAdmin();
  const liars = [openLiar(), openLiar()] as const;
  const endpoints = liars.map(({ url }) => url);
  await withWatch('restored', { contract, endpoints, intervalMs: 0 }, async (signer, watch) => {
    const step = aStep({ contract });
    addSteps(signer, [step]);
    expect(await sendWaiting(signer)).toEqual([]);
    for (const liar of liars) liar.isLying = false;
    const alone = watch({ endpoints: [NODE, AWAY] });
    await alone.contracts.check(Date.now());
    expect(statusOf(alone)).toMatchObject({ code: 'public-build', confirmed: false, holdsSteps: true });
    expect(await sendWaiting(alone)).toEqual([]);
    const both = watch();
    await both.contracts.check(Date.now());
    expect(statusOf(both)).toMatchObject({ code: 'public-build', confirmed: true, holdsSteps: false });
    expect(await sendWaiting(both)).toMatchObject([{ id: step.id }]);
  });
});

it('only warns while a single endpoint shows unknown code', async () => {
  const contract = await deployWithAdmin();
  await upgrade(contract);
  await withWatch('alone', { contract, endpoints: [NODE] }, async (signer) => {
    const { step, first } = await sent(signer, aStep({ contract }));
    expect(signedFor(signer, step.id)).toHaveLength(1);
    expect(first.identifier).toBeDefined();
    expect(statusOf(signer)).toMatchObject({ code: 'unknown', confirmed: false, holdsSteps: false });
    expect(eventsOf('signer.contract_code_unknown')).toMatchObject([{ confirmed: false }]);
  });
});

it('changes nothing when one of two endpoints lies about the code, and asks again after five minutes', async () => {
  const contract = await deployWithAdmin();
  const liar = openLiar();
  liar.isLying = false;
  await withWatch('disputed', { contract, endpoints: [liar.url, NODE] }, async (signer) => {
    await signer.contracts.check(Date.now());
    const before = statusOf(signer);
    liar.isLying = true;
    const later = Date.now() + HOUR_MS;
    await signer.contracts.check(later);
    expect(eventsOf('signer.contract_disputed')).toMatchObject([{ contract }]);
    expect(statusOf(signer)).toEqual(before);
    const { step } = await sent(signer, aStep({ contract }));
    expect(signedFor(signer, step.id)).toHaveLength(1);
    expect(signer.contracts.nextCheck(later)).toBe(later + 5 * MINUTE_MS);
    liar.isLying = false;
    await signer.contracts.check(later + 5 * MINUTE_MS);
    expect(statusOf(signer)).toMatchObject({ code: 'public-build', changes: 0 });
    expect(eventsOf('signer.contract_changed')).toEqual([]);
  });
});

it('changes nothing while no endpoint answers', async () => {
  const contract = await deployWithAdmin();
  await withWatch('unanswered', { contract }, async (signer, watch) => {
    await signer.contracts.check(Date.now());
    const before = statusOf(signer);
    const away = watch({ endpoints: [AWAY, AWAY] });
    const later = Date.now() + HOUR_MS;
    await away.contracts.check(later);
    expect(eventsOf('signer.contract_unread')).toMatchObject([{ contract }]);
    expect(statusOf(away)).toEqual(before);
    expect(away.contracts.nextCheck(later)).toBe(later + 5 * MINUTE_MS);
  });
});

it('reports a super admin that becomes a forwarder, and signs on', async () => {
  const contract = await deployWithAdmin();
  await withWatch('forwarder', { contract }, async (signer) => {
    await signer.contracts.check(Date.now());
    await addForwarder(contract);
    await signer.contracts.check(Date.now() + HOUR_MS);
    expect(eventsOf('signer.contract_changed')).toMatchObject([
      { confirmed: true, before: { forwarders: [] }, after: { forwarders: [ADMIN], super_admins: [ADMIN] } },
    ]);
    expect(statusOf(signer)).toMatchObject({ code: 'public-build', holdsSteps: false, changes: 1 });
    const { step } = await sent(signer, aStep({ contract }));
    expect(answerOf(signer, step.id)?.status.type).toBe('sent');
  });
});

it('costs one request per endpoint and hour, also if the object restarts', async () => {
  const contract = await deployWithAdmin();
  await withWatch('cost', { contract }, async (signer, watch) => {
    const now = Date.now();
    await signer.contracts.check(now);
    const requests = vi.mocked(globalThis.fetch);
    requests.mockClear();
    await signer.contracts.check(now + HOUR_MS - 1);
    await watch().contracts.check(now + HOUR_MS - 1);
    await watch().contracts.checkNew([aStep({ contract })], now + HOUR_MS - 1);
    expect(requests).not.toHaveBeenCalled();
    await Promise.all([signer.contracts.check(now + HOUR_MS), signer.contracts.check(now + HOUR_MS)]);
    expect(requests).toHaveBeenCalledTimes(2);
  });
});

it('watches the contract of the deployment, which is the public build without a known admin', async () => {
  const on = sepolia();
  await withSigner('default', async (signer, storage) => {
    const contracts = openContractWatch(storage, signer.name, signer.steps, configOf(env), on);
    await contracts?.check(Date.now());
    expect(contracts?.statuses()).toMatchObject([
      { contract: on.network.gateway, code: 'public-build', superAdmins: [], forwarders: [], holdsSteps: false },
    ]);
  });
});
