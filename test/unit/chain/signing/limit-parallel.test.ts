import { expect, it } from 'vitest';
import { limitParallel } from '../../../../src/chain/signing/kms-key.ts';

/** Lets every job that is ready continue. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

it('runs six jobs at once while there are as many, and begins them in order', async () => {
  const inTurn = limitParallel(6);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const jobs = Array.from({ length: 20 }, (_, index) =>
    inTurn(() => {
      begun.push(index);
      return new Promise<void>((end) => ends.push(end));
    }),
  );
  for (let ended = 0; ended < 20; ended += 1) {
    await turn();
    expect(begun).toEqual(Array.from({ length: Math.min(20, ended + 6) }, (_, index) => index));
    ends[ended]?.();
  }
  await Promise.all(jobs);
});

it('fails the jobs that have not begun with the fault of a job, lets the others end, and runs new jobs', async () => {
  const inTurn = limitParallel(2);
  let begun = 0;
  const run = (job: () => Promise<string>) =>
    inTurn(() => {
      begun += 1;
      return job();
    }).catch((fault: Error) => fault.message);
  const { promise, resolve } = Promise.withResolvers<string>();
  const outcomes = [
    run(async () => {
      await turn();
      throw new Error('away');
    }),
    run(() => promise),
    run(async () => 'never begun'),
    run(async () => 'never begun'),
  ];
  await turn();
  await turn();
  expect(begun).toBe(2);
  resolve('ended');
  expect(await Promise.all(outcomes)).toEqual(['away', 'ended', 'away', 'away']);
  expect(await Promise.all([1, 2, 3].map(() => run(async () => 'new')))).toEqual(['new', 'new', 'new']);
});
