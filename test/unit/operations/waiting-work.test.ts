import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WaitingWork } from '../../../src/operations/waiting-work.ts';

const LIMIT = 3_000;
const network = { chain: 'ethereum', network: 'sepolia' } as never;
const config = {
  clientMaxWaiting: LIMIT,
  gatekeepers: { ethereum: [{ address: 'one' }, { address: 'two' }], solana: [] },
} as never;
const aClient = (clientId = 'client') => ({ clientId, gatekeeperNetwork: 'network' }) as never;

type Count = () => Promise<number>;
const isAway: Count = () => Promise.reject(new Error('the signer is overloaded'));
const hangs: Count = () => new Promise(() => {});

/** Returns signers that answer with these counts, and a request for some items of a client that returns how many it accepts. */
function signersWith(counts: { one: Count; two: Count }) {
  const asked = vi.fn();
  const signerObject = (name: string) => ({
    async countWaitingSteps() {
      asked(name);
      return name.endsWith('one') ? counts.one() : counts.two();
    },
  });
  return { signers: { signerObject } as never, asked };
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(console, 'error').mockReturnValue();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

async function acceptAll(work: WaitingWork, signers: never, requests: number, items = 1): Promise<number> {
  let accepted = 0;
  for (let request = 0; request < requests; request += 1) {
    const asked =
      items === 1
        ? work.isFull(aClient(), network, config, signers).then((isFull) => Number(!isFull))
        : work.acceptItems(items, aClient(), network, config, signers);
    await vi.runAllTimersAsync();
    accepted += await asked;
  }
  return accepted;
}

describe.each([
  ['fails', isAway],
  ['hangs', hangs],
])('while one of two signers %s', (_, broken) => {
  it('a client gets no more than its limit, in single and in bulk requests', async () => {
    const { signers } = signersWith({ one: async () => 0, two: broken });
    const work = new WaitingWork();
    const items = await acceptAll(work, signers, 60, 100);
    const single = await acceptAll(work, signers, 3_500);
    expect([items, single]).toEqual([2_250, 750]);
  });

  it('the count of the other signer is in force at once', async () => {
    const { signers } = signersWith({ one: async () => LIMIT, two: broken });
    expect(await acceptAll(new WaitingWork(), signers, 60, 100)).toBe(0);
  });

  it('the last count of the silent signer stays in force', async () => {
    const counts: { one: Count; two: Count } = { one: async () => 1_000, two: async () => 1_990 };
    const { signers } = signersWith(counts);
    const work = new WaitingWork();
    // The first requests need no count. The next one asks, and both signers answer.
    await acceptAll(work, signers, 21);
    counts.two = broken;
    counts.one = async () => 0;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await acceptAll(work, signers, 3_000)).toBe(LIMIT - 1_990 - 1);
  });

  it('the room is back as soon as the signer answers', async () => {
    const counts: { one: Count; two: Count } = { one: async () => 0, two: broken };
    const { signers } = signersWith(counts);
    const work = new WaitingWork();
    expect(await acceptAll(work, signers, 3_001)).toBe(LIMIT);
    counts.two = async () => 0;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await acceptAll(work, signers, 1)).toBe(1);
  });

  it('it is asked once for every 20 requests, and every five seconds at the limit', async () => {
    const { signers, asked } = signersWith({ one: async () => 0, two: broken });
    const work = new WaitingWork();
    await acceptAll(work, signers, 100);
    expect(asked.mock.calls.length / 2).toBeLessThanOrEqual(5);
    const full = new WaitingWork();
    await acceptAll(full, signers, 3_001);
    asked.mockClear();
    const before = Date.now();
    await acceptAll(full, signers, 100);
    expect(asked.mock.calls.length / 2).toBeLessThanOrEqual(1 + (Date.now() - before) / 5_000);
  });
});

it('a request that arrives while the signers count is added to their count', async () => {
  const answers: ((count: number) => void)[] = [];
  const late: Count = () => new Promise((resolve) => answers.push(resolve));
  const { signers } = signersWith({ one: late, two: async () => 0 });
  const work = new WaitingWork();
  for (let request = 0; request < 20; request += 1) await work.isFull(aClient(), network, config, signers);
  const both = [0, 1].map(() => work.acceptItems(2_000, aClient(), network, config, signers));
  await vi.advanceTimersByTimeAsync(0);
  for (const answer of answers) answer(0);
  const accepted = await Promise.all(both);
  expect(accepted).toEqual([2_000, 250]);
});

it('an older count that arrives late does not replace a newer one', async () => {
  const answers: ((count: number) => void)[] = [];
  const late: Count = () => new Promise((resolve) => answers.push(resolve));
  const { signers } = signersWith({ one: late, two: async () => 0 });
  const work = new WaitingWork();
  const [first, second] = [0, 1].map(() => work.acceptItems(100, aClient(), network, config, signers));
  await vi.advanceTimersByTimeAsync(0);
  answers[1]?.(LIMIT);
  expect(await second).toBe(0);
  answers[0]?.(0);
  expect(await first).toBe(0);
});

it('a client at its limit gets no further requests because other clients come and go', async () => {
  const { signers } = signersWith({ one: async () => LIMIT, two: async () => 0 });
  const work = new WaitingWork();
  await acceptAll(work, signers, 21);
  for (let other = 0; other < 2_000; other += 1) {
    await work.isFull(aClient(`other ${other}`), network, config, signers);
    if (other % 500 === 0) expect(await acceptAll(work, signers, 1)).toBe(0);
  }
  expect(await acceptAll(work, signers, 1)).toBe(0);
});
