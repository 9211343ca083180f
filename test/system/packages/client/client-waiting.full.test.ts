import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { awaitSettlement } from '../../../../packages/client/src/await-settlement.ts';
import { type Fetch, PassFailed, PassNotSettled } from '../../../../packages/client/src/gatepass.ts';
import type { Pass } from '../../../../packages/client/src/pass.ts';
import { CLOSE, type Outcome } from '../../fault-proxy.ts';
import { aPassKey } from './a-pass-key.ts';
import { rejectionOf, useProxiedGatepass } from './proxied-gatepass.ts';

/** How long the client waits for a pass, also during an outage of the service. */

const { proxies, client } = useProxiedGatepass();

afterEach(() => {
  vi.restoreAllMocks();
});

/** Removes `Prefer` from changes, so that only reads wait. */
const fetchWithoutWait: Fetch = (url, init) => {
  const headers = new Headers(init.headers);
  if (init.method !== 'GET') headers.delete('prefer');
  return fetch(url, { ...init, headers });
};
/** Returns a client without retries of single calls. It only keeps waiting for the pass. */
const clientWithoutRetries = () => client({ fetch: fetchWithoutWait, retries: { times: 0 } });

/** Gives this outcome to that many of the next reads. */
function failReads(outcome: Outcome, times: number): void {
  let left = times;
  proxies.service.outcomeOf = ({ method }) => (method === 'GET' && left-- > 0 ? outcome : undefined);
}

describe('waiting for a pass', () => {
  it.each`
    fault                 | outcome
    ${'no answer'}        | ${CLOSE}
    ${'503'}              | ${{ status: 503 }}
    ${'504'}              | ${{ status: 504 }}
    ${'429 with seconds'} | ${{ status: 429, headers: { 'retry-after': '2' } }}
  `('the client keeps waiting for the pass when a read gets $fault', async ({ outcome }) => {
    failReads(outcome, 1);
    expect(await clientWithoutRetries().issueAndWait(aPassKey())).toMatchObject({ onChainState: 'ACTIVE' });
  });

  it('the client keeps waiting while it cannot get a token', async () => {
    const gatepass = clientWithoutRetries();
    await gatepass.search();
    failReads({ status: 401 }, 1);
    proxies.oauth.nextOutcomes = [CLOSE, CLOSE, CLOSE];
    expect(await gatepass.issueAndWait(aPassKey())).toMatchObject({ onChainState: 'ACTIVE' });
  });

  it('the client throws an error with the last known pass when the service stays unavailable', async () => {
    failReads(CLOSE, 99);
    const key = aPassKey();
    // Long enough for two reads after the issuance, also on a busy machine.
    const fault = await rejectionOf(clientWithoutRetries().issueAndWait(key, { withinMs: 6_000 }));
    expect(fault).toBeInstanceOf(PassNotSettled);
    expect(fault).toMatchObject({ pass: { ...key, state: 'REQUESTED' } });
    expect(proxies.service.requests.length).toBeGreaterThan(2);
  });

  it('the client stops waiting when the service refuses a read', async () => {
    failReads({ status: 403 }, 1);
    expect(await rejectionOf(clientWithoutRetries().issueAndWait(aPassKey()))).toMatchObject({ status: 403 });
  });
});

it('the client repeats a call without a wait after a 504, and then asks for half the wait', async () => {
  const waitOf = (prefer: unknown) => Number(/\d+/.exec(String(prefer))?.[0] ?? 0);
  proxies.service.outcomeOf = ({ headers }) => (waitOf(headers.prefer) > 9 ? { status: 504 } : undefined);
  // On a busy machine, the pass could be settled before the fifth request.
  let accepted: string | undefined;
  proxies.service.alterBody = (body) => {
    accepted ??= body;
    return proxies.service.requests.length < 5 ? accepted : body;
  };
  expect(await client().issueAndWait(aPassKey())).toMatchObject({ onChainState: 'ACTIVE' });
  expect(proxies.service.requests.slice(0, 5).map(({ method, headers }) => [method, headers.prefer])).toEqual([
    ['POST', 'wait=20'],
    ['POST', undefined],
    ['GET', 'wait=10'],
    ['GET', undefined],
    ['GET', 'wait=5'],
  ]);
});

describe('time limits', () => {
  it('the time limit is two minutes for an issuance, and twenty minutes for a change, which may wait for finality', async () => {
    const timeout = vi.spyOn(AbortSignal, 'timeout');
    onTestFinished(() => timeout.mockRestore());
    const longest = () => Math.max(...timeout.mock.calls.splice(0).map(([ms]) => ms));
    const gatepass = client();
    const pass = await gatepass.issueAndWait(aPassKey('devnet'));
    expect(longest()).toBe(120_000);
    await gatepass.updateAndWait(pass, { state: 'FROZEN' });
    expect(longest()).toBe(1_200_000);
    await gatepass.revokeAndWait(pass, {});
    expect(longest()).toBe(1_200_000);
  });

  it('the time limit may be infinite', async () => {
    const settled = async () => ({ pass: { id: 'settled' } as Pass, waitSeconds: 20 });
    expect(await awaitSettlement(settled, settled, { withinMs: Number.POSITIVE_INFINITY })).toEqual({ id: 'settled' });
  });
});

describe('PassFailed', () => {
  const failed = { eventType: 'TOKEN_FROZEN_FAILED', timestamp: 2, reason: 'execution reverted' };
  const aPass = (...events: Pass['events']) => ({
    walletAddress: 'any',
    state: 'ACTIVE',
    onChainState: 'ACTIVE',
    events,
  });

  it('has the reason of the last event, not the reason of an older change', () => {
    const issued = { eventType: 'TOKEN_ISSUED', timestamp: 1 };
    const unfrozen = { eventType: 'TOKEN_UNFROZEN', timestamp: 3 };
    expect(new PassFailed(aPass(issued, failed) as Pass).reason).toBe('execution reverted');
    expect(new PassFailed(aPass(issued, failed, unfrozen) as Pass)).toMatchObject({
      reason: undefined,
      message: 'the pass of any is ACTIVE, on chain ACTIVE',
    });
  });
});
