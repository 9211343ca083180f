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

  it('drop a slow answer that arrives after a newer one', async () => {
    const { reads, last, watch, state } = follow();
    watch.check();
    await last().answer({ valid: false, state: 'FROZEN' });
    await reads[0]?.answer(ACTIVE);
    expect(state()).toBe('frozen');
    expect(reads[0]?.signal.aborted).toBe(true);
  });

  it('drop a slow answer that arrives before the newer one', async () => {
    const { reads, watch, state } = follow();
    watch.check();
    await reads[0]?.answer(ACTIVE);
    expect(state()).toBe('checking');
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

  it('tell subscribers only what has changed', async () => {
    const { last, seen } = follow();
    await last().answer(ACTIVE);
    await vi.advanceTimersByTimeAsync(5 * SECOND);
    await last().answer({ ...ACTIVE, time: NOW + 5 });
    expect(seen.map(({ state }) => state)).toEqual(['active']);
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
