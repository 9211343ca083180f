import { describe, expect, it, vi } from 'vitest';
import { FreshValue } from '../../../src/lib/fresh-value.ts';

const AGES = { freshMs: 10, waitMs: 20, usableMs: 100, pauseMs: 5 };
const NOW = 1_000_000;

/** Returns a read whose answers the test gives. */
function aRead() {
  const answers: PromiseWithResolvers<string>[] = [];
  const read = vi.fn(() => {
    const answer = Promise.withResolvers<string>();
    answers.push(answer);
    return answer.promise;
  });
  const answerNext = (value: string) => answers.shift()?.resolve(value);
  const failNext = () => answers.shift()?.reject(new Error('away'));
  return { read, answerNext, failNext };
}

/** Returns a value that was read at NOW. */
async function aKnown(ages: ConstructorParameters<typeof FreshValue>[0] = AGES) {
  const reads = aRead();
  const value = new FreshValue<string>(ages);
  const first = value.get(reads.read, NOW);
  reads.answerNext('first');
  expect(await first).toBe('first');
  return { value, ...reads };
}

describe('a value that is read again when it is no longer fresh', () => {
  it.each`
    age    | reads | rule
    ${0}   | ${1}  | ${'is fresh'}
    ${9}   | ${1}  | ${'is fresh'}
    ${10}  | ${2}  | ${'serves while it is read in the background'}
    ${19}  | ${2}  | ${'serves while it is read in the background'}
    ${-10} | ${2}  | ${'counts as old after the clock was set back'}
  `('at the age $age, $rule', async ({ age, reads }) => {
    const { value, read } = await aKnown();
    expect(await value.get(read, NOW + age)).toBe('first');
    expect(read).toHaveBeenCalledTimes(reads);
  });

  it('waits for the read when it is old', async () => {
    const { value, read, answerNext } = await aKnown();
    const second = value.get(read, NOW + 20);
    answerNext('second');
    expect(await second).toBe('second');
    expect(await value.get(read, NOW + 29)).toBe('second');
    expect(read).toHaveBeenCalledTimes(2);
  });

  it('serves while reads fail, until it is no longer usable', async () => {
    const { value, read, failNext } = await aKnown();
    for (const age of [20, 99]) {
      const again = value.get(read, NOW + age);
      failNext();
      expect(await again).toBe('first');
    }
    const late = value.get(read, NOW + 105);
    failNext();
    await expect(late).rejects.toThrow('away');
    expect(value.last(NOW + 99)).toBe('first');
    expect(value.last(NOW + 100)).toBeUndefined();
  });

  it('is read at most once in a pause, even if the read failed', async () => {
    const { read, failNext, answerNext } = aRead();
    const value = new FreshValue<string>(AGES);
    const first = value.get(read, NOW);
    failNext();
    await expect(first).rejects.toThrow('away');
    await expect(value.get(read, NOW + 4)).rejects.toThrow('away');
    expect(value.startedAt).toBe(NOW);
    const second = value.get(read, NOW + 5);
    answerNext('second');
    expect(await second).toBe('second');
  });

  it('has a shorter pause for a caller that asks for one', async () => {
    const { value, read } = await aKnown();
    void value.refresh(read, NOW + 1);
    expect(read).toHaveBeenCalledTimes(1);
    void value.refresh(read, NOW + 1, 1);
    expect(read).toHaveBeenCalledTimes(2);
  });

  it('is read once for concurrent callers, and the read outlives the caller that began it', async () => {
    const { read, answerNext } = aRead();
    const kept: Promise<unknown>[] = [];
    const value = new FreshValue<string>({ freshMs: 10 }, (reading) => kept.push(reading));
    const all = [value.get(read, NOW), value.get(read, NOW + 9_999)];
    answerNext('first');
    expect(await Promise.all(all)).toEqual(['first', 'first']);
    expect(kept).toHaveLength(1);
  });

  it('is read again if a read does not end, and the late answer does not replace the newer one', async () => {
    const { read, answerNext } = aRead();
    const value = new FreshValue<string>({ freshMs: 100_000 });
    const hung = value.get(read, NOW);
    const [answerFirst] = [answerNext];
    const second = value.get(read, NOW + 10_000);
    expect(read).toHaveBeenCalledTimes(2);
    answerFirst('old');
    answerNext('new');
    expect(await Promise.all([hung, second])).toEqual(['old', 'new']);
    expect(value.last(NOW + 10_000)).toBe('new');
  });

  it('is read by a caller that has waited too long for the read of another one, which may never end', async () => {
    vi.useFakeTimers({ now: NOW });
    try {
      const { read, answerNext } = aRead();
      const value = new FreshValue<string>({ freshMs: 100_000 });
      const endless = value.get(read);
      await vi.advanceTimersByTimeAsync(4_000);
      const joined = [value.get(read)];
      await vi.advanceTimersByTimeAsync(2_000);
      joined.push(value.get(read));
      await vi.advanceTimersByTimeAsync(3_999);
      expect(read).toHaveBeenCalledTimes(1);
      await vi.advanceTimersByTimeAsync(1);
      // They share this one too.
      expect(read).toHaveBeenCalledTimes(2);
      const [answerFirst] = [answerNext];
      answerFirst('of another');
      answerNext('own');
      expect(await Promise.all(joined)).toEqual(['own', 'own']);
      expect(await endless).toBe('of another');
      expect(value.last()).toBe('own');
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it('may be set by a caller that learned it otherwise', async () => {
    const { value, read } = await aKnown();
    value.set('told', NOW + 15);
    expect(await value.get(read, NOW + 24)).toBe('told');
  });

  it('is usable for no longer than it is fresh by default, and then a failed read fails', async () => {
    const { value, read, failNext } = await aKnown({ freshMs: 10 });
    const again = value.get(read, NOW + 10);
    failNext();
    await expect(again).rejects.toThrow('away');
  });
});
