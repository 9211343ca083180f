import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { secret } from '../../../../src/lib/secret.ts';
import { answerWithHabit, HABIT_NAMES, type HabitName, TROUBLE_NAMES } from '../../../system/faults/provider-habits.ts';
import { broadcastAll, prepareAll, trackAll } from '../ask.ts';
import { flight, open, signed, tokensOf } from './issuing.ts';
import { aStep, mine, sepolia } from './node.ts';

/** A transaction from preparation to finality, on the real node behind endpoints that answer as those of providers do. */

const [NODE] = sepolia().endpoints.map((endpoint) => endpoint());
const HABITUAL = 'http://habitual.node/';
const USUAL = 'http://usual.node/';
const EXPIRY = 2_000_000_000;
/** The meaning of every other habit is certain. */
const LOGGED: HabitName = 'eth_maxPriorityFeePerGas null';

let lines: string[] = [];

beforeEach(() => {
  lines = [];
  vi.spyOn(console, 'error').mockImplementation((line) => void lines.push(String(line)));
});
afterEach(() => void vi.restoreAllMocks());

type Answers = Parameters<typeof answerWithHabit>[2];
type Alter = (calls: Parameters<typeof answerWithHabit>[1], answers: Answers) => unknown[];

const habit =
  (name: HabitName): Alter =>
  (calls, answers) =>
    answerWithHabit(name, calls, answers);

/** Alters the answers of one endpoint. The other one answers as the node does. */
function alterAnswers(alter: Alter): void {
  const { fetch } = globalThis;
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const url = String(input);
    if (url !== HABITUAL && url !== USUAL) return fetch(input, init);
    const response = await fetch(NODE as string, init);
    if (url === USUAL) return response;
    const asked = JSON.parse(String(init?.body));
    const answers = alter([asked].flat(), [await response.json()].flat() as Answers);
    return Response.json(Array.isArray(asked) ? answers : answers[0]);
  });
}

/** Issues a pass over the endpoints, and follows its transaction until it is final. */
async function expectLife(...urls: string[]): Promise<void> {
  const chain = open({ endpoints: urls.map((url) => secret(url)) });
  const step = aStep({ expiry: EXPIRY });
  const sent = await signed(step, 0, chain);
  await broadcastAll(chain, [sent]);
  await mine();
  const [sighting] = await trackAll(chain, [flight(step, sent)]);
  expect(sighting).toMatchObject({ type: 'confirmed', identifier: sent.identifier });
  if (sighting?.type !== 'confirmed') throw new Error('not confirmed');
  await mine(3);
  expect(await trackAll(chain, [flight(step, sent, sighting.includedIn)])).toMatchObject([{ type: 'final' }]);
  expect(await prepareAll(chain, [step])).toMatchObject([
    { type: 'found', onChain: { state: 'ACTIVE', expiry: EXPIRY } },
  ]);
  expect(await tokensOf(step)).toEqual([{ state: 'ACTIVE', expiry: EXPIRY }]);
}

describe('nodes with the habits of providers', () => {
  it.each(HABIT_NAMES)('with %s at the only endpoint, a transaction becomes final', async (name) => {
    alterAnswers(habit(name));
    await expectLife(HABITUAL);
    expect(lines).toHaveLength(name === LOGGED ? 1 : 0);
  });

  it.each(TROUBLE_NAMES)('with %s at the first of two endpoints, a transaction becomes final', async (name) => {
    alterAnswers(habit(name));
    await expectLife(HABITUAL, USUAL);
  });

  it('whose receipts lack a certain status, the log names them, and the next endpoint is asked', async () => {
    alterAnswers((calls, answers) =>
      answers.map((answer, index) =>
        calls[index]?.method === 'eth_getTransactionReceipt' && answer.result
          ? { ...answer, result: { ...answer.result, status: null } }
          : answer,
      ),
    );
    await expectLife(HABITUAL, USUAL);
    expect(lines.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({
        event: 'endpoint.unreadable',
        network: 'sepolia',
        endpoint: 1,
        method: 'eth_getTransactionReceipt',
        field: 'status',
      }),
    );
  });
});
