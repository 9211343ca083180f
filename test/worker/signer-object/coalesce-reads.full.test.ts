import { env } from 'cloudflare:workers';
import { afterAll, afterEach, describe, expect, inject, it, vi } from 'vitest';
import { pairAll } from '../../../src/chain/port.ts';
import { signerNameOf } from '../../../src/config/signers.ts';
import type { PassQuestion } from '../../../src/pass/pass.ts';
import { coalesceReads, type PassReading, READS_MAX_WAITING } from '../../../src/signer-object/read-passes.ts';
import { eventually } from '../../eventually.ts';
import { asking } from '../chain/a-step.ts';
import { aStep, mine, sepolia } from '../chain/ethereum/node.ts';
import { newGatekeeperNetwork } from '../http/issuer.ts';
import { withoutBlocks } from '../http/node.ts';

/** Many simultaneous readings by a signer object on the real node, and their cost for its nodes. */

const theSigner = () => (env as Env).SIGNERS.getByName(signerNameOf(sepolia()));
const [acme = '', globex = ''] = inject('localnet').partners.map(({ gatekeeperNetwork }) => gatekeeperNetwork);

const aQuestion = (gatekeeperNetwork = acme): PassQuestion => {
  const { key, contract } = aStep({ gatekeeperNetwork });
  return { pass: crypto.randomUUID(), key, contract, known: { state: 'NONE' } };
};
const questions = (count: number, gatekeeperNetwork = acme) =>
  Array.from({ length: count }, () => aQuestion(gatekeeperNetwork));
const NOTHING = { type: 'read', onChain: { state: 'NONE' } };

/** The requests to the node that the signer uses. The tests let this node answer, stall or fail. */
const atNode: string[] = [];
let isStalled = false;
let isDown = false;
const fetched = globalThis.fetch;
vi.spyOn(globalThis, 'fetch').mockImplementation(async (url, init) => {
  if (url !== inject('localnet').rpc.sepolia) return fetched(url, init);
  atNode.push(String(init?.body));
  while (isStalled) await scheduler.wait(1);
  if (isDown) throw new TypeError('connection refused');
  return fetched(url, init);
});

/** Returns the requests that read tokens: each reading makes one. */
const readings = () => atNode.filter((body) => body.includes('eth_call'));
const asksFor = ({ key }: PassQuestion) => {
  const wallet = key.wallet.slice(2).toLowerCase();
  return (body: string) => body.includes(wallet);
};

/** Starts a reading, and meanwhile asks for other readings, each as a different caller. */
async function askedMeanwhile(all: readonly PassQuestion[], underWay = aQuestion()) {
  isStalled = true;
  const first = theSigner().readPasses([underWay]);
  await eventually(() => expect(atNode.length).toBeGreaterThan(0));
  const answers = all.map((question) => theSigner().readPasses([question]));
  // Calls of an object arrive in order: when this call is answered, the questions have arrived.
  await theSigner().stuckReasons([]);
  atNode.length = 0;
  isStalled = false;
  await first;
  return answers;
}

afterEach(() => {
  isDown = false;
  atNode.length = 0;
});
afterAll(async () => {
  vi.restoreAllMocks();
  await mine(4);
});

describe('questions that arrive during a read', () => {
  it('answers 400 questions about the pass that it is reading with one further read', async () => {
    const question = aQuestion();
    const flood = Array.from({ length: 400 }, () => question);
    expect(await Promise.all(await askedMeanwhile(flood, question))).toMatchObject(flood.map(() => [NOTHING]));
    expect(readings().map(asksFor(question))).toEqual([true, true]);
  });

  it('answers questions about 250 passes with three further reads, and reads each pass once', async () => {
    const all = questions(250);
    const answers = await Promise.all(await askedMeanwhile(all));
    expect(answers).toMatchObject(all.map(() => [NOTHING]));
    expect(readings()).toHaveLength(4);
    expect(all.map((question) => readings().filter(asksFor(question)).length)).toEqual(all.map(() => 1));
  });

  it('answers a question of another gatekeeper network in the next read, even among 250 other questions', async () => {
    const [flood, other] = [questions(250), aQuestion(globex)];
    await Promise.all(await askedMeanwhile([...flood, other]));
    expect(readings().findIndex(asksFor(other))).toBe(1);
    expect(readings().findIndex(asksFor(flood[249] as PassQuestion))).toBe(3);
  });

  it('refuses a question beyond the maximum per gatekeeper network as unreadable, and answers the others', async () => {
    const [flood, beyond, other] = [questions(READS_MAX_WAITING), aQuestion(), aQuestion(globex)];
    const [again = beyond] = flood;
    const answers = await askedMeanwhile([...flood, beyond, again, other]);
    const why = 'too many readings of its gatekeeper network are waiting';
    expect(await answers[READS_MAX_WAITING]).toEqual([{ type: 'unreadable', why }]);
    expect(await Promise.all(answers.slice(READS_MAX_WAITING + 1))).toMatchObject([[NOTHING], [NOTHING]]);
    expect(await Promise.all(answers.slice(0, READS_MAX_WAITING))).toMatchObject(flood.map(() => [NOTHING]));
    expect(readings().some(asksFor(beyond))).toBe(false);
    expect(await theSigner().readPasses([beyond])).toMatchObject([NOTHING]);
  });
});

it('reads the passes of one call together, and answers in the order of the questions', async () => {
  const nowhere = { ...aQuestion(), key: aStep({ gatekeeperNetwork: 'no network' }).key };
  const [first, last] = [questions(50), questions(49)] as const;
  const answers = await theSigner().readPasses([...first, nowhere, ...last]);
  expect(answers.map(({ type }) => type)).toEqual([
    ...first.map(() => 'read'),
    'unreadable',
    ...last.map(() => 'read'),
  ]);
  expect(readings()).toHaveLength(1);
});

it('makes every question of a read unreadable when no node answers, and answers the next read', async () => {
  isDown = true;
  const failed = await Promise.all(await askedMeanwhile(questions(3)));
  expect(failed.flat().map(({ type }) => type)).toEqual(Array(3).fill('unreadable'));
  isDown = false;
  expect(await theSigner().readPasses(questions(2))).toMatchObject([NOTHING, NOTHING]);
});

it('reports a pass with a step in progress as busy without a request to a node, and reads other passes', async () => {
  await withoutBlocks('sepolia', async () => {
    const [step, idle] = [aStep(), aQuestion()];
    await theSigner().submit(asking(step));
    const busy: PassQuestion = {
      ...idle,
      pass: step.id.split(':')[0] as string,
      key: step.key,
      contract: step.contract,
    };
    atNode.length = 0;
    expect(await theSigner().readPasses([busy])).toEqual([{ type: 'busy' }]);
    // The alarm asks for the receipt of the step meanwhile.
    expect(readings()).toEqual([]);
    expect(await Promise.all(await askedMeanwhile([busy, idle]))).toMatchObject([[{ type: 'busy' }], [NOTHING]]);
    expect(readings().some(asksFor(busy))).toBe(false);
  });
});

describe('the order of coalesced reads', () => {
  const busy = <Q extends PassQuestion>(all: readonly Q[]) => pairAll<Q, PassReading>(all, { type: 'busy' });

  it('reads a pass once for equal questions, and again for a question with another known state', async () => {
    const question = aQuestion();
    const other: PassQuestion = { ...question, known: { state: 'FROZEN' } };
    const asked: PassQuestion[] = [];
    const read = coalesceReads(async (all) => {
      asked.push(...all);
      return busy(all);
    });
    expect(await read([question, other, { ...question }])).toHaveLength(3);
    expect(asked.map(({ pass, key, contract, known }) => ({ pass, key, contract, known }))).toEqual([question, other]);
  });

  it('reads one pass of every gatekeeper network before it reads a second pass of any', async () => {
    const networks = Array.from({ length: 150 }, newGatekeeperNetwork);
    const inOrder: string[] = [];
    const sizes: number[] = [];
    const read = coalesceReads(async (all) => {
      inOrder.push(...all.map(({ key }) => key.gatekeeperNetwork));
      sizes.push(all.length);
      return busy(all);
    });
    await read(networks.flatMap((network) => questions(2, network)));
    expect(inOrder).toEqual([...networks, ...networks]);
    expect(sizes).toEqual([100, 100, 100]);
  });

  it('continues after a failed read, and returns the error only to the questions of that read', async () => {
    const broken = new Error('the store is gone');
    let isBroken = true;
    const read = coalesceReads(async (all) => {
      if (!isBroken) return busy(all);
      isBroken = false;
      throw broken;
    });
    const [first, second] = [read(questions(1)), read(questions(1))];
    await expect(first).rejects.toBe(broken);
    expect(await second).toEqual([{ type: 'busy' }]);
  });
});
