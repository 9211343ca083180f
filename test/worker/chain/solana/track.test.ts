import { describe, expect, it } from 'vitest';
import type { JsonRpc } from '../../../../src/chain/json-rpc.ts';
import type { InFlightTransaction } from '../../../../src/chain/port.ts';
import type { RpcAnswer } from '../../../../src/chain/rpc-answer.ts';
import { solanaRpc } from '../../../../src/chain/solana/rpc.ts';
import { track } from '../../../../src/chain/solana/track.ts';
import { aStep, chainOf, devnet } from './node.ts';

/**
 * Nodes that disagree or are behind, which a single real node cannot do on demand. adapter.test.ts tests a real node, and that
 * these answers have its form.
 */

interface Seen {
  readonly at: 'processed' | 'confirmed' | 'finalized';
  readonly slot?: number;
  readonly err?: unknown;
}

interface Shown {
  /** The finalized chain of one node. */
  readonly slot: number;
  readonly height: number;
  /** Statuses of the last minute, and of the history. */
  readonly recent?: Record<string, Seen>;
  readonly history?: Record<string, Seen>;
  /** The newest slot of the node that answers from its history. */
  readonly historySlot?: number;
  /** Whether it has a history. */
  readonly hasHistory?: boolean;
}

function nodeThatShows(shown: Shown): JsonRpc {
  const { slot, height, recent = {}, history = {}, historySlot = slot + 32, hasHistory = true } = shown;
  const answer = (method: string, [first, options]: readonly unknown[]): RpcAnswer => {
    if (method === 'getEpochInfo') {
      // Without a commitment, a node reads the finalized chain.
      expect(first).toBeUndefined();
      return { result: { absoluteSlot: slot, blockHeight: height, epoch: 1, slotIndex: 1, slotsInEpoch: 432_000 } };
    }
    if (method !== 'getSignatureStatuses') throw new Error(`nobody expected ${method}`);
    const { searchTransactionHistory } = options as { searchTransactionHistory: boolean };
    if (searchTransactionHistory && !hasHistory) {
      return { error: { code: -32011, message: 'Transaction history is not available from this node' } };
    }
    const known = searchTransactionHistory ? history : recent;
    const value = (first as string[]).map((identifier) => statusOf(known[identifier]));
    return { result: { context: { slot: searchTransactionHistory ? historySlot : slot + 32 }, value } };
  };
  return async (calls) => calls.map(({ method, params }) => answer(method, params));
}

function statusOf(seen: Seen | undefined) {
  if (seen === undefined) return null;
  const { at, slot = 100, err = null } = seen;
  return { slot, confirmations: at === 'finalized' ? null : 1, confirmationStatus: at, err };
}

const flight = (place?: number): InFlightTransaction => ({
  step: aStep(),
  signedAtMs: Date.now(),
  identifiers: ['one'],
  lastValidBlockHeight: 500,
  includedIn: place === undefined ? undefined : { block: place },
});

async function sightings(shown: Shown, ...flights: InFlightTransaction[]): Promise<string[]> {
  const chain = { ...chainOf(devnet()), rpc: solanaRpc(nodeThatShows(shown)) };
  return (await track(chain, flights)).map(([, { type }]) => type);
}

const sighting = async (shown: Shown, one: InFlightTransaction) => (await sightings(shown, one))[0];

const early = { slot: 90, height: 400 };
const late = { slot: 900, height: 501 };
const failed = { InstructionError: [2, { Custom: 6 }] };

describe('a transaction on Solana that was in no block yet', () => {
  it.each`
    shown                                                              | is                  | why
    ${{ ...early }}                                                    | ${'unconfirmed'}    | ${'it may still land'}
    ${{ ...late, height: 500 }}                                        | ${'unconfirmed'}    | ${'the last block it may be in can hold it'}
    ${{ ...late }}                                                     | ${'expired'}        | ${'no block holds it, and none will'}
    ${{ ...late, historySlot: 899 }}                                   | ${'unconfirmed'}    | ${'the node with the history is behind'}
    ${{ ...late, history: { one: { at: 'finalized' } } }}              | ${'confirmed'}      | ${'only the history has it'}
    ${{ ...late, history: { one: { at: 'finalized', err: failed } } }} | ${'without-effect'} | ${'only the history knows that it failed'}
    ${{ ...early, recent: { one: { at: 'processed' } } }}              | ${'unconfirmed'}    | ${'it is on some fork'}
    ${{ ...late, recent: { one: { at: 'processed' } } }}               | ${'unconfirmed'}    | ${'it may be confirmed yet'}
    ${{ ...early, recent: { one: { at: 'confirmed' } } }}              | ${'confirmed'}      | ${'most validators have voted for it'}
    ${{ ...late, recent: { one: { at: 'finalized' } } }}               | ${'confirmed'}      | ${'that comes first'}
    ${{ ...early, recent: { one: { at: 'confirmed', err: failed } } }} | ${'unconfirmed'}    | ${'signed again, both might take effect'}
    ${{ ...late, recent: { one: { at: 'finalized', err: failed } } }}  | ${'without-effect'} | ${'it failed for good'}
  `('a transaction that was in no block yet is $is when $why', async ({ shown, is }) => {
    expect(await sighting(shown, flight())).toBe(is);
  });

  it('a transaction without a last valid block height never expires', async () => {
    expect(await sighting(late, { ...flight(), lastValidBlockHeight: undefined })).toBe('unconfirmed');
  });
});

it('a lifetime that no endpoint in service can have offered is over after an hour', async () => {
  const endless = { ...flight(), lastValidBlockHeight: 1e15 };
  const signed = (minutesAgo: number) => ({ ...endless, signedAtMs: Date.now() - minutesAgo * 60_000 });
  expect(await sightings(late, endless, signed(50), signed(70))).toEqual(['unconfirmed', 'unconfirmed', 'expired']);
  expect(await sighting({ ...late, history: { one: { at: 'finalized' } } }, signed(70))).toBe('confirmed');
});

describe('a transaction on Solana that was in a block', () => {
  it.each`
    shown                                                            | is                  | why
    ${{ ...early, recent: { one: { at: 'confirmed' } } }}            | ${'still-included'} | ${'it is where it was'}
    ${{ ...late, recent: { one: { at: 'finalized' } } }}             | ${'final'}          | ${'it is final'}
    ${{ ...late, history: { one: { at: 'finalized' } } }}            | ${'final'}          | ${'only the history has it'}
    ${{ ...early, recent: { one: { at: 'processed' } } }}            | ${'still-included'} | ${'this node is a little behind'}
    ${{ ...early, recent: { one: { at: 'confirmed', slot: 102 } } }} | ${'confirmed'}      | ${'a fork took it, and it is in another slot now'}
    ${{ ...late, history: { one: { at: 'finalized', slot: 102 } } }} | ${'confirmed'}      | ${'it is final in another slot: told first where'}
    ${{ ...early, recent: { one: { at: 'processed', slot: 102 } } }} | ${'still-included'} | ${'on some fork it is in another slot'}
    ${{ ...early }}                                                  | ${'still-included'} | ${'a node that does not know it proves nothing'}
    ${{ ...late, historySlot: 899 }}                                 | ${'still-included'} | ${'the node with the history is behind'}
    ${{ ...late }}                                                   | ${'unconfirmed'}    | ${'the finalized chain is past its slot, without it'}
    ${{ ...late, height: 400 }}                                      | ${'unconfirmed'}    | ${'the finalized chain is past its slot, without it'}
  `('a transaction that was in a block is $is when $why', async ({ shown, is }) => {
    expect(await sighting(shown, flight(100))).toBe(is);
  });
});

describe('a node without its history', () => {
  it('a node without its history leaves a transaction unknown, unless its recent statuses show it', async () => {
    const shown: Shown = { ...late, hasHistory: false, recent: { two: { at: 'confirmed' } } };
    const two = { ...flight(), identifiers: ['two'] };
    expect(await sightings(shown, flight(), flight(100), two)).toEqual(['unknown', 'unknown', 'confirmed']);
  });
});

it('asks the history for at most 32 transactions at a time', async () => {
  const crowd = Array.from({ length: 50 }, () => flight());
  const seen = await sightings(late, ...crowd);
  expect(seen.slice(0, 32)).toEqual(Array(32).fill('expired'));
  expect(seen.slice(32)).toEqual(Array(18).fill('unconfirmed'));
});
