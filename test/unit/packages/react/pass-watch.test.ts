import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type PassSnapshot, type WatchOptions, watchPass } from '../../../../packages/react/src/core.ts';
import { ACTIVE, NOW, scriptedReader, settle } from './scripted-reader.ts';

/** The clock is the test's, so no test waits, and none depends on the speed of the machine. */
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const PLACE = { wallet: '0x1', gatekeeperNetwork: 'network' };
const SECOND = 1_000;

function follow(options: Partial<WatchOptions> = {}) {
  const scripted = scriptedReader();
  const watch = watchPass({ ...PLACE, reader: scripted.reader, ...options });
  const seen: PassSnapshot[] = [];
  const stop = watch.subscribe(() => seen.push(watch.snapshot()));
  return { ...scripted, watch, seen, stop, state: () => watch.snapshot().state };
}

describe('the state', () => {
  it.each`
    reading                                               | state         | isValid
    ${{ state: 'NONE' }}                                  | ${'none'}     | ${false}
    ${ACTIVE}                                             | ${'active'}   | ${true}
    ${{ ...ACTIVE, expiry: NOW + 100 }}                   | ${'active'}   | ${true}
    ${{ ...ACTIVE, expiry: NOW + 99 }}                    | ${'expiring'} | ${true}
    ${{ ...ACTIVE, expiry: NOW }}                         | ${'expiring'} | ${true}
    ${{ valid: false, state: 'ACTIVE', expiry: NOW - 1 }} | ${'expired'}  | ${false}
    ${{ valid: false, state: 'FROZEN' }}                  | ${'frozen'}   | ${false}
    ${{ valid: false, state: 'FROZEN', expiry: NOW - 1 }} | ${'frozen'}   | ${false}
    ${{ valid: false, state: 'REVOKED' }}                 | ${'revoked'}  | ${false}
  `('of $reading is $state', async ({ reading, state, isValid }) => {
    const { last, watch } = follow({ expiryMarginSeconds: 100 });
    expect(watch.snapshot()).toMatchObject({ state: 'checking', isValid: false });
    await last().answer(reading);
    expect(watch.snapshot()).toMatchObject({ state, isValid });
  });

  it.each(['wallet', 'gatekeeperNetwork', 'reader'])('is no-wallet without %s, and nothing is read', (missing) => {
    const { reads, state } = follow({ [missing]: undefined });
    expect(state()).toBe('no-wallet');
    expect(reads).toEqual([]);
  });

  it('is no-answer after the first failure, because nobody knows', async () => {
    const { last, watch } = follow();
    await last().fail();
    expect(watch.snapshot()).toMatchObject({ state: 'no-answer', isValid: false, error: new Error('no node') });
  });

  it('survives one failure, and not two', async () => {
    const { last, watch } = follow();
    await last().answer(ACTIVE);
    await vi.advanceTimersByTimeAsync(5 * SECOND);
    await last().fail();
    expect(watch.snapshot()).toMatchObject({ state: 'active', isValid: true });
    await vi.advanceTimersByTimeAsync(5 * SECOND);
    await last().fail();
    expect(watch.snapshot()).toMatchObject({ state: 'no-answer', isValid: false });
    await vi.advanceTimersByTimeAsync(5 * SECOND);
    await last().answer(ACTIVE);
    expect(watch.snapshot()).toMatchObject({ state: 'active', isValid: true });
    expect(watch.snapshot()).not.toHaveProperty('error');
  });
});

describe('reads', () => {
  it('end after ten seconds, even if the reader ignores the signal', async () => {
    const { last, state } = follow();
    await vi.advanceTimersByTimeAsync(10 * SECOND);
    expect(last().signal.aborted).toBe(true);
    expect(state()).toBe('no-answer');
  });

  it('follow each other after the interval, and never overlap', async () => {
    const { reads, last } = follow({ intervalMs: 2 * SECOND });
    await vi.advanceTimersByTimeAsync(9 * SECOND);
    expect(reads.length).toBe(1);
    await last().answer(ACTIVE);
    await vi.advanceTimersByTimeAsync(2 * SECOND - 1);
    expect(reads.length).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(reads.length).toBe(2);
  });

  it('come right after the last second of the pass', async () => {
    const { reads, last, state } = follow({ intervalMs: 60 * SECOND });
    await last().answer({ ...ACTIVE, expiry: NOW + 7 });
    await vi.advanceTimersByTimeAsync(8 * SECOND);
    expect(reads.length).toBe(2);
    await last().answer({ valid: false, state: 'ACTIVE', expiry: NOW + 7, time: NOW + 8 });
    expect(state()).toBe('expired');
  });

  it('accept a pass that expires in many years', async () => {
    const { reads, last } = follow({ intervalMs: 2 ** 40 });
    await last().answer({ ...ACTIVE, expiry: 253_402_300_799 });
    await vi.advanceTimersByTimeAsync(1_000 * SECOND);
    expect(reads.length).toBe(1);
  });

  it('drop an answer that arrives after its ten seconds', async () => {
    const { reads, last, state } = follow();
    await vi.advanceTimersByTimeAsync(15 * SECOND);
    await reads[0]?.answer(ACTIVE);
    await last().answer({ valid: false, state: 'FROZEN' });
    expect(state()).toBe('frozen');
    expect(reads.length).toBe(2);
  });

  it('drop an answer to somebody who has stopped, even if a newer read is slower', async () => {
    const { reads, watch, stop, state } = follow();
    stop();
    expect(reads[0]?.signal.aborted).toBe(true);
    watch.subscribe(() => undefined);
    await reads[0]?.answer(ACTIVE);
    expect(state()).toBe('checking');
    expect(reads.length).toBe(2);
  });

  it('follow each other if somebody checks faster than the node answers, and once more after the last check', async () => {
    const { reads, last, watch, state } = follow();
    await last().answer(ACTIVE);
    for (let at = 0; at < 8; at++) {
      watch.check();
      await vi.advanceTimersByTimeAsync(SECOND);
    }
    expect(reads.length).toBe(2);
    await last().answer({ valid: false, state: 'REVOKED' });
    expect(state()).toBe('revoked');
    expect(reads.length).toBe(3);
    await last().answer({ valid: false, state: 'REVOKED' });
    expect(reads.length).toBe(3);
    expect(vi.getTimerCount()).toBe(1);
  });

  it('stop with the last subscriber, and begin again with the next', async () => {
    const { reads, last, watch, stop } = follow();
    await last().answer(ACTIVE);
    stop();
    stop();
    await vi.advanceTimersByTimeAsync(60 * SECOND);
    expect(reads.length).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
    watch.subscribe(() => undefined);
    expect(reads.length).toBe(2);
    expect(watch.snapshot().state).toBe('active');
  });

  it('do not trust an answer from before a pause after one failure', async () => {
    const { last, watch, stop, state } = follow();
    await last().answer(ACTIVE);
    stop();
    watch.subscribe(() => undefined);
    await last().fail();
    expect(state()).toBe('no-answer');
  });

  it('pause while the page is hidden, and come at once when it is visible again', async () => {
    const page = Object.assign(new EventTarget(), { visibilityState: 'visible' });
    vi.stubGlobal('document', page);
    const show = (visibilityState: string) => {
      page.visibilityState = visibilityState;
      page.dispatchEvent(new Event('visibilitychange'));
    };
    const { reads, last, state } = follow();
    show('hidden');
    await last().answer(ACTIVE);
    await vi.advanceTimersByTimeAsync(3_600 * SECOND);
    expect(reads.length).toBe(1);
    show('visible');
    expect(reads.length).toBe(2);
    await last().fail();
    expect(state()).toBe('no-answer');
    vi.unstubAllGlobals();
  });

  it.each([0, -1, Number.NaN])('refuse the interval %s, which would flood the node', (intervalMs) => {
    expect(() => follow({ intervalMs })).toThrow('intervalMs must be a number above 0');
  });

  it('ask at most once a second while a node admits a pass after its last second', async () => {
    const { reads, last } = follow();
    await last().answer({ ...ACTIVE, expiry: NOW - 1 });
    await vi.advanceTimersByTimeAsync(SECOND - 1);
    expect(reads.length).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(reads.length).toBe(2);
  });

  it('tell subscribers only what has changed', async () => {
    const { last, seen } = follow();
    await last().answer(ACTIVE);
    await vi.advanceTimersByTimeAsync(5 * SECOND);
    await last().answer({ ...ACTIVE, time: NOW + 5 });
    expect(seen.map(({ state }) => state)).toEqual(['active']);
  });
});

describe('a pass that has been valid, at a node that has fallen silent', () => {
  const step = 250;
  /** Returns the milliseconds for which the watch admits the wallet after the answer of a node that gives no other. */
  async function admittedFor(
    act: (watch: ReturnType<typeof follow>, at: number) => void,
    reading = {},
  ): Promise<number> {
    const followed = follow();
    await followed.last().answer({ ...ACTIVE, ...reading });
    for (let at = 0; at < 200 * SECOND; at += step) {
      if (!followed.watch.snapshot().isValid) return at;
      act(followed, at);
      await vi.advanceTimersByTimeAsync(step);
    }
    return Number.POSITIVE_INFINITY;
  }

  it.each`
    deeds                             | act
    ${'nothing'}                      | ${() => undefined}
    ${'a check four times a second'}  | ${({ watch }: ReturnType<typeof follow>) => watch.check()}
    ${'a check each 9.5 seconds'} | ${({ watch }: ReturnType<typeof follow>, at: number) => {
  if (at % 9_500 === 0) watch.check();
}}
    ${'another subscriber each time'} | ${({ watch }: ReturnType<typeof follow>) => watch.subscribe(() => undefined)()}
    ${'subscribers that throw'} | ${({ watch }: ReturnType<typeof follow>) => {
  watch.subscribe(() => undefined);
}}
  `('is admitted for at most 30 seconds, whatever a page does: $deeds', async ({ act }) => {
    expect(await admittedFor(act)).toBeLessThanOrEqual(30 * SECOND);
  });

  it('is not admitted because the page stops and begins faster than the node answers', async () => {
    const followed = follow();
    await followed.last().answer(ACTIVE);
    let { stop } = followed;
    let resumed = 0;
    while (followed.watch.snapshot().isValid && resumed < 100) {
      stop();
      stop = followed.watch.subscribe(() => undefined);
      resumed += 1;
      await vi.advanceTimersByTimeAsync(SECOND);
    }
    expect(resumed).toBe(2);
    expect(followed.state()).toBe('checking');
  });

  it.each([1, 4, 5, 6, 12, 14])(
    'is admitted for at most ten seconds after its last second, in %i',
    async (expiresIn) => {
      const over = (expiresIn + 1) * SECOND;
      const admitted = await admittedFor(() => undefined, { expiry: NOW + expiresIn });
      expect(admitted).toBeGreaterThanOrEqual(over);
      expect(admitted).toBeLessThanOrEqual(over + 10 * SECOND);
    },
  );
});

describe('a subscriber', () => {
  /** Collects the faults of subscribers, as the console of a page does. */
  async function faultsDuring(act: () => Promise<void>): Promise<unknown[]> {
    const faults: unknown[] = [];
    const earlier = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection').on('unhandledRejection', (fault) => faults.push(fault));
    await act();
    vi.useRealTimers();
    await new Promise(setImmediate);
    process.removeAllListeners('unhandledRejection');
    for (const each of earlier) process.on('unhandledRejection', each);
    return faults;
  }

  it('that throws stops neither the others nor the reads, and its fault shows', async () => {
    const fault = new Error('a fault of the page');
    const faults = await faultsDuring(async () => {
      const { reader, last } = scriptedReader();
      const watch = watchPass({ ...PLACE, reader });
      watch.subscribe(() => {
        throw fault;
      });
      const seen: string[] = [];
      watch.subscribe(() => seen.push(watch.snapshot().state));
      await last().answer(ACTIVE);
      await vi.advanceTimersByTimeAsync(5 * SECOND);
      await last().answer({ valid: false, state: 'REVOKED' });
      expect(seen).toEqual(['active', 'revoked']);
    });
    expect(faults).toEqual([fault, fault]);
  });

  it('learns of a change whatever else a reader answers', async () => {
    const { last, state } = follow();
    await last().answer({ ...ACTIVE, raw: 1n } as object);
    await vi.advanceTimersByTimeAsync(5 * SECOND);
    await last().answer({ valid: false, state: 'REVOKED', raw: 2n } as object);
    expect(state()).toBe('revoked');
  });
});

describe('a request', () => {
  function answerLater() {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const requestPass = vi.fn(() => promise);
    return { requestPass, accept: (record?: unknown) => resolve(record), refuse: () => reject(new Error('no')) };
  }

  it('is requested until the chain has the pass', async () => {
    const { requestPass, accept } = answerLater();
    const { last, watch, state } = follow({ requestPass });
    await last().answer({});
    const asked = watch.request();
    expect(state()).toBe('requested');
    expect(requestPass).toHaveBeenCalledWith({ ...PLACE, reason: 'issue' });
    accept({ state: 'REQUESTED' });
    await asked;
    await last().answer({});
    expect(state()).toBe('requested');
    await vi.advanceTimersByTimeAsync(5 * SECOND);
    await last().answer(ACTIVE);
    expect(watch.snapshot()).toMatchObject({ state: 'active', isRequested: false });
    expect(vi.getTimerCount()).toBe(1);
  });

  it('reads at once when the back end has answered', async () => {
    const { requestPass, accept } = answerLater();
    const { reads, last, watch } = follow({ requestPass });
    await last().answer({});
    const asked = watch.request();
    accept();
    await asked;
    expect(reads.length).toBe(2);
  });

  it('is rejected if the record says so, until the chain has a pass', async () => {
    const { requestPass, accept } = answerLater();
    const { last, watch, state } = follow({ requestPass });
    await last().answer({});
    const asked = watch.request();
    accept({ state: 'REJECTED' });
    await asked;
    await last().answer({});
    expect(state()).toBe('rejected');
    await vi.advanceTimersByTimeAsync(5 * SECOND);
    await last().answer(ACTIVE);
    await vi.advanceTimersByTimeAsync(5 * SECOND);
    await last().answer({});
    expect(state()).toBe('none');
  });

  it('has an error if the back end refuses, and can be repeated', async () => {
    const { requestPass, refuse } = answerLater();
    const { last, watch } = follow({ requestPass });
    await last().answer({});
    const asked = watch.request();
    refuse();
    await asked;
    expect(watch.snapshot()).toMatchObject({ state: 'none', isRequested: false, error: new Error('no') });
    void watch.request();
    expect(watch.snapshot()).not.toHaveProperty('error');
    expect(requestPass).toHaveBeenCalledTimes(2);
  });

  it('is sent once, however often a visitor presses the button', async () => {
    const { requestPass } = answerLater();
    const { last, watch } = follow({ requestPass });
    await last().answer({});
    for (let i = 0; i < 3; i++) void watch.request();
    expect(requestPass).toHaveBeenCalledTimes(1);
  });

  it('keeps a pass valid during its renewal, which ends with the new expiry', async () => {
    const { requestPass, accept } = answerLater();
    const { last, watch } = follow({ requestPass, expiryMarginSeconds: 100 });
    await last().answer({ ...ACTIVE, expiry: NOW + 10 });
    const asked = watch.request();
    expect(requestPass).toHaveBeenCalledWith({ ...PLACE, reason: 'renew' });
    accept({ state: 'REQUESTED' });
    await asked;
    await last().answer({ ...ACTIVE, expiry: NOW + 10 });
    expect(watch.snapshot()).toMatchObject({ state: 'expiring', isValid: true, isRequested: true });
    await vi.advanceTimersByTimeAsync(5 * SECOND);
    await last().answer({ ...ACTIVE, expiry: NOW + 1_000 });
    expect(watch.snapshot()).toMatchObject({ state: 'active', isValid: true, isRequested: false });
  });

  it('renews an expired pass', async () => {
    const { requestPass, accept } = answerLater();
    const { last, watch, state } = follow({ requestPass });
    await last().answer({ valid: false, state: 'ACTIVE', expiry: NOW - 1 });
    const asked = watch.request();
    accept({ state: 'ACTIVE' });
    await asked;
    await last().answer({ valid: false, state: 'ACTIVE', expiry: NOW - 1 });
    expect(state()).toBe('requested');
    await vi.advanceTimersByTimeAsync(5 * SECOND);
    await last().answer({ ...ACTIVE, expiry: NOW + 1_000 });
    expect(watch.snapshot()).toMatchObject({ state: 'active', isRequested: false });
  });

  it('ends with an error if the chain does not have the pass after five minutes', async () => {
    const { requestPass, accept } = answerLater();
    const { last, reads, watch } = follow({ requestPass });
    await last().answer({});
    const asked = watch.request();
    accept({ state: 'REQUESTED' });
    await asked;
    await last().answer({});
    for (let at = 0; at < 300; at += 5) {
      await vi.advanceTimersByTimeAsync(5 * SECOND);
      await last().answer({});
    }
    expect(watch.snapshot()).toMatchObject({ state: 'none', isRequested: false });
    expect(String(watch.snapshot().error)).toContain('not on chain yet');
    expect(reads.length).toBe(62);
  });

  it.each([
    ['never answers', () => new Promise<void>(() => undefined)],
    ['answers after four minutes', () => new Promise<void>((resolve) => setTimeout(resolve, 240 * SECOND))],
    ['answers after six minutes', () => new Promise<void>((resolve) => setTimeout(resolve, 360 * SECOND))],
  ])('ends after five minutes if the back end %s, and can be repeated', async (_, requestPass) => {
    const asked = vi.fn(requestPass);
    const reader = { key: 'sepolia', read: async () => ({ valid: false, state: 'NONE', time: NOW }) as const };
    const { watch } = follow({ reader, requestPass: asked });
    await settle();
    let isOver = false;
    void watch.request().then(() => {
      isOver = true;
    });
    await vi.advanceTimersByTimeAsync(300 * SECOND - 1);
    expect(watch.snapshot()).toMatchObject({ state: 'requested', isRequested: true });
    await vi.advanceTimersByTimeAsync(1);
    expect(watch.snapshot()).toMatchObject({ state: 'none', isRequested: false });
    expect(String(watch.snapshot().error)).toContain('not on chain yet');
    expect(isOver).toBe(true);
    void watch.request();
    expect(asked).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(100 * SECOND);
    expect(watch.snapshot()).toMatchObject({ state: 'requested', isRequested: true });
  });

  it('ends as soon as the chain has the pass, although the back end never answers', async () => {
    const { last, watch } = follow({ requestPass: () => new Promise(() => undefined) });
    await last().answer({});
    const asked = watch.request();
    await vi.advanceTimersByTimeAsync(5 * SECOND);
    await last().answer(ACTIVE);
    await asked;
    expect(watch.snapshot()).toMatchObject({ state: 'active', isRequested: false });
    expect(watch.snapshot()).not.toHaveProperty('error');
  });

  it('ends for its caller also after nobody follows the pass any longer', async () => {
    const { last, watch, stop } = follow({ requestPass: () => new Promise(() => undefined) });
    await last().answer({});
    const asked = watch.request();
    stop();
    await vi.advanceTimersByTimeAsync(300 * SECOND);
    await asked;
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each(['FROZEN', 'REVOKED'] as const)('does not hide that the pass is %s', async (onChain) => {
    const { requestPass } = answerLater();
    const { last, watch, state } = follow({ requestPass });
    await last().answer({ valid: false, state: onChain });
    void watch.request();
    expect(state()).toBe(onChain.toLowerCase());
  });

  it('does nothing without a back end, and without a wallet', async () => {
    const { watch, last } = follow();
    await last().answer({});
    await watch.request();
    expect(watch.snapshot()).toMatchObject({ state: 'none', isRequested: false });
    const { requestPass } = answerLater();
    await follow({ requestPass, wallet: undefined }).watch.request();
    expect(requestPass).not.toHaveBeenCalled();
  });

  it('ignores what a fault is, even undefined', async () => {
    const { last, watch } = follow({ requestPass: () => Promise.reject(undefined) });
    await last().answer({});
    await watch.request();
    await settle();
    expect(watch.snapshot()).toMatchObject({ state: 'none', isRequested: false });
  });
});
