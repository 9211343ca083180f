import { describe, expect, it } from 'vitest';
import { linearize, type Operation } from '../../../../simulation/judges/linearize.ts';

/** A register that holds one number, at first 0. */
type Register = Operation<number>;

const write = (from: number, until: number, value: number): Register => ({
  ...{ from, until, after: [] },
  outcomes: () => [value],
});
const read = (from: number, until: number, value: number, more: Partial<Register> = {}): Register => ({
  ...{ from, until, after: [], ...more },
  outcomes: (state) => (state === value ? [state] : []),
});

describe('linearize', () => {
  it('finds an order of operations that overlap', () => {
    expect(linearize([write(0, 9, 1), write(1, 8, 2), read(2, 7, 1), read(3, 6, 2)], 0)).toBeUndefined();
  });

  it('finds none that goes back in time', () => {
    const stale = read(4, 5, 0);
    expect(linearize([write(0, 3, 1), stale], 0)).toEqual({ state: 1, left: [stale] });
  });

  it('finds none for two readers who see two writes in different orders', () => {
    const reads = [read(10, 11, 1), read(12, 13, 2), read(14, 15, 1)];
    expect(linearize([write(0, 20, 1), write(0, 20, 2), ...reads], 0)).toBeDefined();
  });

  it('keeps to places, and to operations that came before', () => {
    const written = write(0, 9, 1);
    expect(linearize([written, read(0, 9, 0)], 0)).toBeUndefined();
    expect(linearize([written, read(0, 9, 0, { after: [written] })], 0)).toBeDefined();
    expect(linearize([{ ...written, place: 1 }, read(0, 9, 0, { place: 2 })], 0)).toBeDefined();
  });

  it('tries every outcome of an operation', () => {
    const either: Register = { ...write(0, 1, 0), outcomes: () => [1, 2] };
    expect(linearize([either, read(2, 3, 2)], 0)).toBeUndefined();
    expect(linearize([either, read(2, 3, 3)], 0)).toBeDefined();
  });
});
