import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { advantageOver, prepareShortForm, type ShortForm, storedAdvantage } from '../../../bench/short-form.ts';

/** Runs the short form of the benchmarks. Each ratio to a peer must be at least three quarters of the committed ratio. */

const KEPT_MIN = 0.75;

const actions: (() => unknown)[] = [];
let form: ShortForm;

beforeAll(async () => {
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'gatepass-test-'));
  actions.unshift(() => rmSync(folder, { recursive: true, force: true }));
  form = await prepareShortForm({
    quick: true,
    folder,
    atEnd: (action) => actions.unshift(action),
    say: () => undefined,
  });
});

afterAll(async () => {
  for (const action of actions) await action();
});

/** Resolves to the measured advantage divided by the committed advantage, for the peer with the smaller quotient. */
async function keptPartOf(measure: keyof ShortForm): Promise<number> {
  const outcome = await form[measure]();
  const left = ['floor', 'mainstream'].map(
    async (peer) => advantageOver(peer, outcome) / (await storedAdvantage(peer, measure, outcome.unit)),
  );
  return Math.min(...(await Promise.all(left)));
}

/** A run takes 10 to 60 seconds on a quiet machine, and longer on a busy one. */
const TWO_RUNS_MS = 400_000;

describe('performance', () => {
  it.each(['fetch', 'search', 'accept'] as const)(
    'the advantage in %s is more than three quarters of the committed advantage',
    { timeout: TWO_RUNS_MS },
    async (measure) => {
      const left = await keptPartOf(measure);
      // Another process may have slowed down the first run. A real regression also shows in the second run.
      expect(left > KEPT_MIN ? left : await keptPartOf(measure)).toBeGreaterThan(KEPT_MIN);
    },
  );
});

describe('advantageOver', () => {
  it.each`
    unit            | ours         | floor        | advantage
    ${'requests/s'} | ${[40, 50]}  | ${[10, 100]} | ${0.5}
    ${'ms'}         | ${[2, 3, 9]} | ${[5, 1]}    | ${0.5}
    ${'ms'}         | ${[1]}       | ${[2]}       | ${2}
  `('the best rounds of $ours $unit and $floor give the advantage $advantage', ({ unit, ours, floor, advantage }) => {
    expect(advantageOver('floor', { unit, rounds: { ours, floor } })).toBe(advantage);
  });
});
