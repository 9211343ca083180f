/** Plays the freeze of a person with many passes while a network is down, and says what is wrong in it. Run by `freezes.test.ts`. */
import './platform/isolate.ts';
import { createHash } from 'node:crypto';
import { base58 } from '@scure/base';

const { CHAIN_OF } = await import('./world/networks.ts');
const { clientAt, ORIGIN, tokensAt } = await import('./world/identities.ts');
const { isAdmitted, SEPOLIA_BLOCK_MS, tokensOf } = await import('./world/chains.ts');
const { ADMITTED_GATEKEEPERS } = await import('./world/gatekeepers.ts');
const { readTrails } = await import('./world/trails.ts');
const { SimulatedObject } = await import('./platform/objects.ts');
const { BEGINNING_SECONDS, World } = await import('./world/world.ts');
const { blocksOfFreezes } = await import('../freeze-blocks.ts');
type Address = import('@solana/kit').Address;
type ChainNetwork = import('./world/networks.ts').ChainNetwork;
type WorldType = import('./world/world.ts').World;
type WorkerModule = import('./platform/platform.ts').WorkerModule;
type StoredPass = import('../../src/pass-object/stored-pass.ts').StoredPass;

const worker = (await import('../../src/worker.ts')) as unknown as WorkerModule;
const { findNetwork, NETWORKS } = await import('../../src/network/networks.ts');

const SUBJECT = 'person/1';
const PATH = `/subjects/${encodeURIComponent(SUBJECT)}`;
/** The network that is down has nine of ten passes, so that they would be in the way of the others. */
const DOWN = 'devnet';
const WORKS = 'sepolia';
const SHARE_OF_DOWN = 0.9;
const ITEMS = 100;
/** Passes that an alarm changes. */
const SLICE = 50;
const ANSWER_MAX_MS = 5_000;
const DAY_SECONDS = 86_400;
/** The changes of 10,000 passes take ten minutes if a third of the calls take up to a second. */
const CHANGES_MAX_SECONDS = 3_600;
/** How long no call reaches a pass object. */
const AWAY_MS = 10_000;
/** Lamports. */
const RENT_OF_ALL = 10n ** 12n;
/** Reading blocks, and the messages of the passes. */
const SLACK_SECONDS = 60;
const { id: client, gatekeeperNetwork } = clientAt(0);
const { [client]: token } = await tokensAt(BEGINNING_SECONDS);

interface Wallet {
  readonly network: ChainNetwork;
  readonly wallet: string;
}

interface Answer {
  readonly status: number;
  readonly body: {
    readonly results: readonly { readonly status: number }[];
    readonly state: string;
    readonly passes: unknown;
    readonly requests: readonly [Run];
  };
}

interface Run {
  readonly requestId: string;
  readonly total: number;
  readonly done: number;
  readonly refused: object;
  readonly finishedAt?: string;
}

function walletAt(index: number, count: number): Wallet {
  const bytes = createHash('sha256').update(`wallet ${index}`).digest();
  return index < count * SHARE_OF_DOWN
    ? { network: DOWN, wallet: base58.encode(bytes) }
    : { network: WORKS, wallet: `0x${bytes.toString('hex').slice(0, 40)}` };
}

/** Counts the changes of passes that have no answer yet. */
const calls = { open: 0, together: 0, all: 0 };
const { call } = SimulatedObject.prototype;
SimulatedObject.prototype.call = async function (method, args) {
  const answer = call.call(this, method, args);
  if (method !== 'changeForSubject') return answer;
  calls.all += 1;
  calls.open += 1;
  calls.together = Math.max(calls.together, calls.open);
  return answer.finally(() => {
    calls.open -= 1;
  });
};

/** Sends a request of the partner, and lets time pass until it is answered. */
async function ask({ platform }: WorldType, method: string, path: string, body?: unknown): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const request = new Request(ORIGIN + path, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  let answer: Answer | undefined;
  const send = async () => {
    const response = await platform.request(request);
    answer = { status: response?.status ?? 0, body: JSON.parse((await response?.text()) || 'null') };
  };
  // A task that waited for the answer would wait for the tasks behind it.
  platform.scheduler.after(0, `request ${method} ${path}`, () => void send());
  await platform.scheduler.runUntil(() => answer !== undefined, platform.scheduler.now + 60_000);
  if (answer === undefined) throw new Error(`${method} ${path} has no answer`);
  return answer;
}

/** Lets time pass until it is true, in steps of five seconds. Returns whether it is. */
async function until(world: WorldType, isTrue: () => Promise<boolean> | boolean, seconds: number): Promise<boolean> {
  for (const end = world.now + seconds * 1_000; world.now < end; await world.pass(5)) if (await isTrue()) return true;
  return false;
}

/** Issues the passes, as fast as the limit of waiting work allows. */
async function issueAll(world: WorldType, wallets: readonly Wallet[]): Promise<void> {
  for (let open = wallets; open.length > 0; await world.pass(30)) {
    const refused: Wallet[] = [];
    for (let at = 0; at < open.length; at += ITEMS) {
      const asked = open.slice(at, at + ITEMS);
      const items = asked.map(({ network, wallet: walletAddress }) => ({
        chain: { type: CHAIN_OF[network], network },
        walletAddress,
        subject: SUBJECT,
      }));
      const { status, body } = await ask(world, 'POST', '/passes', { items });
      expect([200, 429, 503].includes(status), `the issuance is answered with ${status}`);
      refused.push(...asked.filter((_, index) => status !== 200 || body.results[index]?.status !== 202));
    }
    open = refused;
  }
}

function expect(isTrue: boolean, fault: string): void {
  if (!isTrue) throw new Error(fault);
}

/** Plays the freeze. Throws an error that names a fault in it. */
async function play(count: number): Promise<void> {
  // The freeze of a single pass would use up the changes of the day, if it counted.
  const limits = { changes: 1 };
  const world = new World(worker, { seed: 1, keys: 1, endpoints: 2, networks: [WORKS, DOWN], limits });
  const { platform, endpoints, chains, weather } = world;
  for (const key of ADMITTED_GATEKEEPERS.solana) chains.devnet.fund(key as Address, RENT_OF_ALL);
  // A world notes whose transactions nodes get, which takes time for each pair of them.
  endpoints.onRequest = () => {};
  const wallets = Array.from({ length: count }, (_, index) => walletAt(index, count));
  const passes = () =>
    platform.namespaces.PASSES.all.flatMap(
      ({ storage }) => (storage.kv.get('pass') as StoredPass | undefined)?.pass ?? [],
    );
  const countOnChain = (state: string) => passes().filter(({ onChain }) => onChain.state === state).length;
  const admittedOn = (network: ChainNetwork) =>
    wallets.filter(
      (each) => each.network === network && isAdmitted(chains, { gatekeeperNetwork, ...each }, world.now / 1_000),
    );
  const progress: Run[] = [];
  const read = async () => {
    for (;;) {
      const { status, body } = await ask(world, 'GET', PATH);
      // A part of the platform answers late.
      if (status === 503) continue;
      progress.push(body.requests[0]);
      return body.requests[0];
    }
  };
  try {
    await issueAll(world, wallets);
    expect(await until(world, () => countOnChain('ACTIVE') === count, DAY_SECONDS), 'some passes are not issued');
    await world.pass(SLACK_SECONDS);

    for (const index of [0, 1]) endpoints.silence(DOWN, index);
    weather.probabilities = { ...weather.probabilities, delay: 0.3 };
    const begun = world.now;
    const { status, body } = await ask(world, 'PATCH', PATH, { state: 'FROZEN', reason: 'case 10000' });
    expect(world.now - begun <= ANSWER_MAX_MS, `the request is answered after ${world.now - begun} ms`);
    expect(status === 202 && body.state === 'FROZEN' && body.passes === count, `the answer is ${status}`);
    while ((await read()).done === 0) await world.pass(0.1);
    weather.awayUntil.set('PASSES', world.now + AWAY_MS);
    expect(
      await until(world, async () => (await read()).finishedAt !== undefined, CHANGES_MAX_SECONDS),
      'it does not end',
    );
    const changed = passes().filter(({ wanted }) => wanted.state === 'FROZEN').length;
    expect(changed === count, `${changed} passes have followed at the end`);
    const ended = world.now;
    const working = wallets.filter(({ network }) => network === WORKS).length;
    const sepolia = findNetwork(NETWORKS, 'ethereum', WORKS);
    const blocks = sepolia === undefined ? 0 : blocksOfFreezes(working, sepolia);
    const bound = (blocks * SEPOLIA_BLOCK_MS) / 1_000 + SLACK_SECONDS;
    expect(await until(world, () => admittedOn(WORKS).length === 0, bound), `${WORKS} admits passes after ${bound} s`);
    const seconds = { answer: ended - begun, works: world.now - ended };
    await world.pass(SLACK_SECONDS);
    const admitted = admittedOn(DOWN).length;
    expect(admitted === count - working, `${DOWN} admits ${admitted} passes while it is down`);

    weather.clear();
    endpoints.heal(DOWN);
    expect(await until(world, () => countOnChain('FROZEN') === count, DAY_SECONDS), 'some passes are not frozen');
    const still = [...admittedOn(WORKS), ...admittedOn(DOWN)].length;
    expect(still === 0, `the chains admit ${still} wallets`);
    const tokens = wallets.flatMap((each) => tokensOf(chains, { gatekeeperNetwork, ...each }) as readonly unknown[]);
    expect(tokens.length === count, `the wallets have ${tokens.length} tokens`);

    expect(calls.together <= SLICE, `${calls.together} passes change at once`);
    expect(calls.all <= count + SLICE, `${calls.all} calls change passes`);
    const { total, done, refused, requestId } = await read();
    expect(total === count && done === count, `the progress is ${done} of ${total}`);
    expect(Object.keys(refused).length === 0, `passes refuse: ${JSON.stringify(refused)}`);
    const isRising = progress.every((each, index) => each.done >= (progress[index - 1]?.done ?? 0));
    const stages = new Set(progress.map((each) => each.done)).size;
    expect(isRising && stages > 2, `the progress has ${stages} stages`);
    const entries = [...readTrails(platform).values()].flat().filter((entry) => entry.requestId === requestId);
    const frozen = entries.filter(({ action }) => action === 'pass.freeze').map(({ target }) => target.pass);
    expect(frozen.length === count && new Set(frozen).size === count, `${frozen.length} entries of passes`);
    expect(entries.length === count + 1, `${entries.length} entries of the request`);
    // For the documents, not for a test.
    if (process.env.FIGURES) console.error({ seconds, stages, calls, bound, tasks: platform.scheduler.steps });
  } finally {
    world.close();
  }
}

const [count = 1] = process.argv.slice(2).map(Number);
try {
  await play(count);
  console.log(`The freeze of ${count} passes is right.`);
} catch (fault) {
  console.log(`The freeze of ${count} passes is wrong: ${(fault as Error).message}.`);
  process.exitCode = 1;
}
