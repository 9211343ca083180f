import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Compared } from '../../../../tools/bench/compare-loads.ts';
import {
  advantageOver,
  outcomeOf,
  prepareShortForm,
  type ShortForm,
  storedAdvantage,
} from '../../../../tools/bench/short-form.ts';

/** Runs the short form of the benchmarks. Each ratio to a peer must be at least three quarters of the committed ratio. */

const KEPT_MIN = 0.75;

const actions: (() => unknown)[] = [];
let form: ShortForm;

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatepass-test-'));
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

/** The fewest rounds decide if they suffice. A slow moment of the machine loses its weight with each further run, a regression does not. */
const RUNS_MAX = 5;
/** A run takes 5 to 30 seconds on a quiet machine, and longer on a busy one. */
const ALL_RUNS_MS = 600_000;

/** Resolves to the measured advantage divided by the committed advantage, for the peer with the smaller quotient. */
async function keptPartOf(measure: keyof ShortForm, runs: readonly Compared[]): Promise<number> {
  const outcome = outcomeOf(runs);
  const left = ['floor', 'mainstream'].map(
    async (peer) => advantageOver(peer, outcome) / (await storedAdvantage(peer, measure, outcome.unit)),
  );
  return Math.min(...(await Promise.all(left)));
}

describe('performance', () => {
  it.each(['fetch', 'search', 'accept'] as const)(
    'the advantage in %s is more than three quarters of the committed advantage',
    { timeout: ALL_RUNS_MS },
    async (measure) => {
      const runs: Compared[] = [];
      const parts: number[] = [];
      while (runs.length < RUNS_MAX && !((parts.at(-1) ?? 0) > KEPT_MIN)) {
        runs.push(await form[measure]());
        parts.push(await keptPartOf(measure, runs));
      }
      expect(parts.at(-1), `after each run: ${parts}`).toBeGreaterThan(KEPT_MIN);
    },
  );
});

describe('advantageOver', () => {
  it.each`
    unit            | ours         | floor         | advantage
    ${'requests/s'} | ${[40, 60]}  | ${[80, 40]}   | ${1}
    ${'requests/s'} | ${[1, 8, 4]} | ${[1, 4, 16]} | ${1}
    ${'ms'}         | ${[2, 4, 9]} | ${[5, 1, 18]} | ${2}
    ${'ms'}         | ${[1]}       | ${[2]}        | ${2}
  `('the rounds of $ours $unit and $floor give the advantage $advantage', ({ unit, ours, floor, advantage }) => {
    expect(advantageOver('floor', { unit, rounds: { ours, floor } })).toBe(advantage);
  });
});
