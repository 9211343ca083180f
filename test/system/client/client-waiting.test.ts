import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Fetch, PassFailed, PassNotSettled } from '../../../client/src/gatepass.ts';
import type { Pass } from '../../../client/src/pass.ts';
import { untilSettled } from '../../../client/src/settled.ts';
import { aPassKey } from './a-pass-key.ts';
import type { Instead } from './front.ts';
import { frontedGatepass, rejection } from './fronted-gatepass.ts';

/** How long the client waits for a pass, and what it makes of a service that is away meanwhile. */

const { fronts, client } = frontedGatepass();

afterEach(() => {
  vi.restoreAllMocks();
});

/** Lets only reads wait: a wish is answered as soon as it is stored. */
const atOnce: Fetch = (url, init) => {
  const headers = new Headers(init.headers);
  if (init.method !== 'GET') headers.delete('prefer');
  return fetch(url, { ...init, headers });
};
/** One that leaves it to the waiting to try again. */
const waiting = () => client({ fetch: atOnce, retries: { times: 0 } });

/** So many of the reads to come go wrong. */
function failReads(instead: Instead, times: number): void {
  let left = times;
  fronts.service.insteadOfEach = ({ method }) => (method === 'GET' && left-- > 0 ? instead : undefined);
}

describe('once the pass was shown', () => {
  it.each`
    what                  | instead
    ${'no answer'}        | ${'silence'}
    ${'503'}              | ${{ status: 503 }}
    ${'504'}              | ${{ status: 504 }}
    ${'429 with seconds'} | ${{ status: 429, headers: { 'retry-after': '2' } }}
  `('$what is no end of waiting', async ({ instead }) => {
    failReads(instead, 1);
    expect(await waiting().issueAndWait(aPassKey())).toMatchObject({ onChainState: 'ACTIVE' });
  });

  it('neither is a token that is not to be had for a while', async () => {
    const gatepass = waiting();
    await gatepass.search();
    failReads({ status: 401 }, 1);
    fronts.oauth.instead = ['silence', 'silence', 'silence'];
    expect(await gatepass.issueAndWait(aPassKey())).toMatchObject({ onChainState: 'ACTIVE' });
  });

  it('and the service stays away, it is told as it was last seen', async () => {
    failReads('silence', 99);
    const key = aPassKey();
    const fault = await rejection(waiting().issueAndWait(key, { withinMs: 2_500 }));
    expect(fault).toBeInstanceOf(PassNotSettled);
    expect(fault).toMatchObject({ pass: { ...key, state: 'REQUESTED' } });
    expect(fronts.service.seen.length).toBeGreaterThan(2);
  });

  it('a refusal ends it all the same', async () => {
    failReads({ status: 403 }, 1);
    expect(await rejection(waiting().issueAndWait(aPassKey()))).toMatchObject({ status: 403 });
  });
});

it('who is cut off by somebody in between (504) asks without waiting, and then waits for less', async () => {
  const waitOf = (prefer: unknown) => Number(/\d+/.exec(String(prefer))?.[0] ?? 0);
  fronts.service.insteadOfEach = ({ headers }) => (waitOf(headers.prefer) > 9 ? { status: 504 } : undefined);
  expect(await client().issueAndWait(aPassKey())).toMatchObject({ onChainState: 'ACTIVE' });
  expect(fronts.service.seen.slice(0, 5).map(({ method, headers }) => [method, headers.prefer])).toEqual([
    ['POST', 'wait=20'],
    ['POST', undefined],
    ['GET', 'wait=10'],
    ['GET', undefined],
    ['GET', 'wait=5'],
  ]);
});

describe('the time there is', () => {
  it('is two minutes for an issuance, and twenty for what must wait until that is final', async () => {
    const timeout = vi.spyOn(AbortSignal, 'timeout');
    const longest = () => Math.max(...timeout.mock.calls.splice(0).map(([ms]) => ms));
    const gatepass = client();
    const pass = await gatepass.issueAndWait(aPassKey('devnet'));
    expect(longest()).toBe(120_000);
    await gatepass.updateAndWait(pass, { state: 'FROZEN' });
    expect(longest()).toBe(1_200_000);
    await gatepass.revokeAndWait(pass, {});
    expect(longest()).toBe(1_200_000);
  });

  it('may be without end', async () => {
    const settled = async () => ({ pass: { id: 'settled' } as Pass, ready: 20 });
    expect(await untilSettled(settled, settled, { withinMs: Number.POSITIVE_INFINITY })).toEqual({ id: 'settled' });
  });
});

describe('the reason of a failure', () => {
  const failed = { eventType: 'TOKEN_FROZEN_FAILED', timestamp: 2, reason: 'execution reverted' };
  const aPass = (...events: Pass['events']) => ({
    walletAddress: 'any',
    state: 'ACTIVE',
    onChainState: 'ACTIVE',
    events,
  });

  it('is that of the last event, and not of an older wish', () => {
    const issued = { eventType: 'TOKEN_ISSUED', timestamp: 1 };
    const unfrozen = { eventType: 'TOKEN_UNFROZEN', timestamp: 3 };
    expect(new PassFailed(aPass(issued, failed) as Pass).reason).toBe('execution reverted');
    expect(new PassFailed(aPass(issued, failed, unfrozen) as Pass)).toMatchObject({
      reason: undefined,
      message: 'the pass of any is ACTIVE, on chain ACTIVE',
    });
  });
});
