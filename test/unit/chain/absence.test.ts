import { describe, expect, it, vi } from 'vitest';
import { confirmFound, confirmReadings, type Witness } from '../../../src/chain/absence.ts';
import { type PrepareResult, type Question, type Reading, RpcFault } from '../../../src/chain/port.ts';
import type { OnChain } from '../../../src/pass/pass.ts';
import type { Step } from '../../../src/pass/step.ts';
import { aPassKey } from '../pass/a-pass.ts';

const KNOWN: OnChain = { state: 'ACTIVE', asOf: 100 };
const NONE = (asOf = 120): OnChain => ({ state: 'NONE', asOf });
const ACTIVE: OnChain = { state: 'ACTIVE', asOf: 120 };

/** An endpoint that shows this in its newest final block; undefined: it does not answer. */
const witness = (onChain: OnChain | undefined): Witness =>
  vi.fn(async (questions: readonly Question[]) => {
    if (onChain === undefined) throw new RpcFault('no connection');
    return questions.map((question) => [question, { type: 'read', onChain }] as const);
  });
const STALE: Witness = async (questions) => questions.map((each) => [each, { type: 'unreadable', why: 'behind' }]);

const UNANSWERED = 'no second endpoint confirms that the wallet has no valid token';
const NOT_FINAL = expect.stringContaining('does not yet show in a final block');

describe('confirmReadings', () => {
  async function read(reading: Reading, witnesses: Witness[], known: OnChain | undefined = KNOWN) {
    const question = { key: aPassKey(), known };
    const [[asked, answer] = []] = await confirmReadings([[question, reading]], witnesses);
    expect(asked).toBe(question);
    return answer;
  }
  const absent: Reading = { type: 'read', onChain: NONE(130) };

  it.each`
    what                                           | witnesses                                                 | answer
    ${'its final block, if there is one endpoint'} | ${[witness(NONE())]}                                      | ${{ type: 'read', onChain: NONE() }}
    ${'the final blocks of two endpoints'}         | ${[witness(NONE()), witness({ ...NONE(121) })]}           | ${{ type: 'read', onChain: NONE() }}
    ${'two of three endpoints, while one is away'} | ${[witness(undefined), witness(NONE()), witness(NONE())]} | ${{ type: 'read', onChain: NONE() }}
  `('believes that a token is gone by $what', async ({ witnesses, answer }) => {
    expect(await read(absent, witnesses)).toEqual(answer);
  });

  it.each`
    what                                     | witnesses                                | answer
    ${'the final block still shows it'}      | ${[witness(ACTIVE)]}                     | ${{ type: 'not-final' }}
    ${'a second endpoint shows it'}          | ${[witness(NONE()), witness(ACTIVE)]}    | ${{ type: 'not-final' }}
    ${'the final block is older than known'} | ${[witness(NONE(99))]}                   | ${{ type: 'not-final' }}
    ${'the second endpoint does not answer'} | ${[witness(NONE()), witness(undefined)]} | ${{ type: 'unreadable', why: UNANSWERED }}
    ${'the second endpoint is behind'}       | ${[witness(NONE()), STALE]}              | ${{ type: 'unreadable', why: UNANSWERED }}
    ${'no endpoint answers'}                 | ${[witness(undefined)]}                  | ${{ type: 'unreadable', why: UNANSWERED }}
  `('does not believe that a token is gone when $what', async ({ witnesses, answer }) => {
    expect(await read(absent, witnesses)).toEqual(answer);
  });

  it('does not believe that others revoked a token unless two endpoints show it', async () => {
    const revoked: Reading = { type: 'read', onChain: { state: 'REVOKED', asOf: 130 } };
    expect(await read(revoked, [witness(ACTIVE)])).toEqual({ type: 'not-final' });
  });

  it.each<[Reading, OnChain | undefined]>([
    [{ type: 'read', onChain: ACTIVE }, KNOWN],
    [{ type: 'read', onChain: { state: 'FROZEN', asOf: 130 } }, KNOWN],
    [{ type: 'read', onChain: NONE() }, { state: 'NONE' }],
    [{ type: 'unreadable', why: 'away' }, KNOWN],
  ])('asks no endpoint again about the reading %j where %j is known', async (reading, known) => {
    const never = witness(NONE());
    expect(await read(reading, [never, never], known)).toEqual(reading);
    expect(never).not.toHaveBeenCalled();
  });
});

describe('confirmFound', () => {
  const found: PrepareResult = { type: 'found', onChain: NONE() };
  const step = { id: 'a:1', kind: 'revoke', rank: 0, key: aPassKey(), known: KNOWN } satisfies Step;
  const resultOf = async (result: PrepareResult, witnesses: Witness[]) =>
    (await confirmFound([[{ step }, result]], witnesses))[0]?.[1];

  it('ends a step that finds no valid token when a second endpoint confirms it, or none is configured', async () => {
    expect(await resultOf(found, [witness(NONE()), witness(NONE())])).toBe(found);
    expect(await resultOf(found, [witness(ACTIVE)])).toBe(found);
  });

  it.each`
    what                 | second                | why
    ${'does not answer'} | ${witness(undefined)} | ${UNANSWERED}
    ${'shows a token'}   | ${witness(ACTIVE)}    | ${NOT_FINAL}
  `('lets the step wait while the second endpoint $what, and says why', async ({ second, why }) => {
    expect(await resultOf(found, [witness(NONE()), second])).toEqual({ type: 'not-now', why, blocks: 'step' });
  });

  it('leaves other results alone', async () => {
    const holds: PrepareResult = { type: 'found', onChain: ACTIVE };
    expect(await resultOf(holds, [witness(undefined), witness(undefined)])).toBe(holds);
  });
});
