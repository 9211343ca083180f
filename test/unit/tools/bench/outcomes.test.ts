import { describe, expect, it } from 'vitest';
import { isMet, type Outcome } from '../../../../tools/bench/measure.ts';
import { formatOutcomes } from '../../../../tools/bench/outcome-table.ts';
import { compareInTurn, median, medianRatio } from '../../../../tools/bench/rounds.ts';

/** The figures of the benchmarks, and the verdict about each target. */

const anOutcome = (overrides: Partial<Outcome> = {}): Outcome => ({
  what: 'fetch',
  unit: 'requests/s',
  value: 950,
  peers: { floor: 1_000 },
  targets: [],
  ...overrides,
});

describe('isMet and formatOutcomes', () => {
  it.each`
    target                                  | outcome                              | met
    ${{ of: 'floor', atLeast: 0.9 }}        | ${{}}                                | ${true}
    ${{ of: 'floor', atLeast: 0.9 }}        | ${{ ratios: { floor: 0.89 } }}       | ${false}
    ${{ of: 'value', atMost: 950 }}         | ${{}}                                | ${true}
    ${{ of: 'value', atMost: 949 }}         | ${{}}                                | ${false}
    ${{ of: 'nobody', atMost: 1 }}          | ${{}}                                | ${false}
    ${{ of: 'floor', atLeast: 0.9 }}        | ${{ peers: { floor: NaN } }}         | ${false}
    ${{ of: 'few', atLeast: 1, atMost: 1 }} | ${{ value: 20, peers: { few: 20 } }} | ${true}
    ${{ of: 'few', atLeast: 1, atMost: 1 }} | ${{ value: 21, peers: { few: 20 } }} | ${false}
  `('returns $met for the target $target and the outcome $outcome', ({ target, outcome, met }) => {
    expect(isMet(anOutcome(outcome), target)).toBe(met);
  });

  it('marks a missed target in the row of its outcome', () => {
    const table = formatOutcomes([
      anOutcome({ targets: [{ of: 'floor', atLeast: 0.96 }], counts: { 'd1.statements': 1 } }),
    ]);
    expect(table).toMatch(/fetch +950 requests\/s +floor: 1,000 +0\.95 +≥ 0\.96 +MISSED\n +1 d1\.statements/);
  });
});

describe('compareInTurn, median and medianRatio', () => {
  it('starts each round with another contender and returns the medians of all rounds', async () => {
    const asked: string[] = [];
    const gives = (name: string, numbers: number[]) => async (round: number) => {
      asked.push(name + round);
      return numbers[round] ?? 0;
    };
    const { medians, ratios } = await compareInTurn({ a: gives('a', [2, 90, 6]), b: gives('b', [4, 30, 6]) }, 3);
    expect(asked).toEqual(['a0', 'b0', 'b1', 'a1', 'a2', 'b2']);
    expect(medians).toEqual({ a: 6, b: 6 });
    expect(ratios.b).toBe(1);
  });

  it.each`
    numbers         | middle
    ${[3]}          | ${3}
    ${[9, 1]}       | ${5}
    ${[100, 1, 20]} | ${20}
    ${[]}           | ${Number.NaN}
  `('returns $middle as the median of $numbers', ({ numbers, middle }) => {
    expect(median(numbers)).toBe(middle);
  });

  it('returns the same medianRatio when one round is slow for both contenders', () => {
    expect(medianRatio([10, 1, 10], [20, 2, 20])).toBe(0.5);
  });
});
