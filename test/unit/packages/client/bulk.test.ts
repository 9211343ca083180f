import { expect, it } from 'vitest';
import { itemOf, outcomeOf } from '../../../../packages/client/src/bulk.ts';
import { GatepassProblem, type Pass } from '../../../../packages/client/src/gatepass.ts';

/** Items and results of bulk requests. */

const chain = { type: 'ethereum', network: 'sepolia' } as const;
const walletAddress = '0x52908400098527886E0F7030069857D2E4169EE7';
const pass = {
  id: 'a',
  chain,
  walletAddress,
  contract: 'contract',
  gatekeeperNetwork: 'g',
  state: 'ACTIVE',
  onChainState: 'ACTIVE',
  valid: true,
  events: [],
};

it('sends only the fields of an item, also if a pass is its key', () => {
  expect(itemOf({ chain, walletAddress })).toEqual({ chain, walletAddress });
  const changed = { ...pass, state: 'FROZEN', expiryTimestamp: 5, reason: 'case 7' } as Parameters<typeof itemOf>[0];
  expect(itemOf(changed)).toEqual({ chain, walletAddress, state: 'FROZEN', expiryTimestamp: 5, reason: 'case 7' });
});

it('returns the pass of an accepted item, and whether it is settled', () => {
  expect(outcomeOf({ status: 202, settled: true, record: pass as Pass })).toEqual({ pass, isSettled: true });
});

it('returns the problem of a refused item with its status and its time', () => {
  const body = { type: 'x', title: 'x', status: 429, detail: 'wait', code: 'quota_reached', requestId: 'r' };
  const { problem } = outcomeOf({ status: 429, problem: body, retryAfter: 60 });
  expect(problem).toBeInstanceOf(GatepassProblem);
  expect(problem).toMatchObject({ status: 429, code: 'quota_reached', retryAfterMs: 60_000, requestId: 'r' });
  expect(outcomeOf({ status: 409, problem: body }).problem?.retryAfterMs).toBeUndefined();
});
