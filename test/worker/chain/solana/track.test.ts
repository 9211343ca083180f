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
  /** In place of the result in the transaction. */
  readonly meta?: unknown;
}

interface Shown {
  /** The finalized chain of one node. */
  readonly slot: number;
  readonly height: number;
  /** Statuses of the newest slots, and the transactions on the finalized chain. */
  readonly recent?: Record<string, Seen>;
  readonly history?: Record<string, Seen>;
  /** Whether it has a history. */
  readonly hasHistory?: boolean;
  /** Whether the wallets have a token on the finalized chain. */
  readonly hasToken?: boolean;
  /** Answers in place of those above, by method. */
  readonly instead?: Readonly<Record<string, RpcAnswer>>;
}

/** An ACTIVE token without an expiry: 109 zero bytes. */
const TOKEN_DATA = `${'A'.repeat(146)}==`;
const WITHOUT_HISTORY = { error: { code: -32011, message: 'Transaction history is not available from this node' } };
const REFUSED = { error: { code: -32601, message: 'Method not found' } };

function nodeThatShows(shown: Shown): JsonRpc {
  const { slot, height, recent = {}, history = {}, hasHistory = true, hasToken = false, instead = {} } = shown;
  const program = { owner: 'loader', lamports: 1, executable: true, data: ['', 'base64'] };
  const token = { ...program, owner: devnet().network.program, executable: false, data: [TOKEN_DATA, 'base64'] };
  const answer = (method: string, [first, options]: readonly unknown[]): RpcAnswer => {
    const { commitment } = Object(options ?? first) as { commitment?: string };
    switch (method) {
      case 'getEpochInfo':
        // Without a commitment, a node reads the finalized chain.
        expect(first).toBeUndefined();
        return { result: { absoluteSlot: slot, blockHeight: height, epoch: 1, slotIndex: 1, slotsInEpoch: 432_000 } };
      case 'getLatestBlockhash':
        expect(commitment).toBeUndefined();
        return { result: { context: { slot }, value: { blockhash: 'x', lastValidBlockHeight: height + 150 } } };
      case 'getSignatureStatuses': {
        const value = (first as string[]).map((identifier) => statusOf(recent[identifier]));
        return { result: { context: { slot: slot + 32 }, value } };
      }
      case 'getTransaction': {
        expect(commitment).toBeUndefined();
        const { slot: at = 100, err = null, meta = { err } } = history[first as string] ?? {};
        if (!hasHistory) return WITHOUT_HISTORY;
        return { result: history[first as string] ? { slot: at, meta } : null };
      }
      case 'getMultipleAccounts': {
        expect(commitment).toBeUndefined();
        const [, ...addresses] = first as string[];
        const value = [program, ...addresses.map((_, index) => (hasToken && index % 5 === 0 ? token : null))];
        return { result: { context: { slot }, value } };
      }
      default:
        throw new Error(`nobody expected ${method}`);
    }
  };
  return async (calls) => calls.map(({ method, params }) => instead[method] ?? answer(method, params));
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
  const { isOnly = true } = shown as { isOnly?: boolean };
  const chain = { ...chainOf(devnet()), isOnly, rpc: solanaRpc(nodeThatShows(shown)) };
  return (await track(chain, flights)).map(([, { type }]) => type);
}

const sighting = async (shown: Shown, one: InFlightTransaction) => (await sightings(shown, one))[0];

const early = { slot: 90, height: 80 };
const late = { slot: 900, height: 501 };
const failed = { InstructionError: [2, { Custom: 6 }] };
/** A block includes the transaction, and nothing ran: its payer could not pay (SIMD-0290). */
const unpaid = 'InsufficientFundsForFee';
/** The node has not recorded the result, or shows none. */
const withResult = (meta: unknown) => ({ one: { at: 'finalized', meta } }) as const;
const processed = { one: { at: 'processed' } } as const;
const final = { one: { at: 'finalized' } } as const;
/** No call shows the transaction, and the tokens show its effect. */
const withheld = { ...late, hasToken: true };
const isOnly = false;

describe('a transaction on Solana that was in no block yet', () => {
  it.each`
    shown                                                              | is                  | why
    ${{ ...early }}                                                    | ${'unconfirmed'}    | ${'it may still land'}
    ${{ ...late, height: 500 }}                                        | ${'unconfirmed'}    | ${'the last block it may be in can hold it'}
    ${{ ...late }}                                                     | ${'expired'}        | ${'no block holds it, and none will'}
    ${{ ...late, history: final }}                                     | ${'confirmed'}      | ${'only the history has it'}
    ${{ ...late, history: { one: { at: 'finalized', err: failed } } }} | ${'without-effect'} | ${'only the history knows that it failed'}
    ${{ ...early, recent: { one: { at: 'confirmed', err: unpaid } } }} | ${'unconfirmed'}    | ${'it did not run in a block that is not final'}
    ${{ ...late, recent: { one: { at: 'finalized', err: unpaid } } }}  | ${'without-effect'} | ${'it did not run in a final block'}
    ${{ ...late, history: { one: { at: 'finalized', err: unpaid } } }} | ${'without-effect'} | ${'only the history knows that it did not run'}
    ${{ ...early, history: withResult(null) }}                         | ${'unconfirmed'}    | ${'nobody knows yet whether it ran'}
    ${{ ...late, history: withResult(null) }}                          | ${'expired'}        | ${'the tokens show no effect, whether it ran or not'}
    ${{ ...withheld, isOnly, history: withResult(null) }}              | ${'unknown'}        | ${'the tokens show an effect, and another endpoint may show whether it ran'}
    ${{ ...withheld, isOnly, history: withResult({}) }}                | ${'unknown'}        | ${'the same if the result has no error field'}
    ${{ ...late, hasHistory: false }}                                  | ${'expired'}        | ${'the tokens do not show its effect'}
    ${withheld}                                                        | ${'expired'}        | ${'the tokens show its effect, and the step ends as found'}
    ${{ ...withheld, isOnly }}                                         | ${'unknown'}        | ${'the tokens show its effect, and another endpoint may show the block'}
    ${{ ...withheld, isOnly, hasHistory: false }}                      | ${'unknown'}        | ${'the same without a history'}
    ${{ ...early, recent: processed }}                                 | ${'unconfirmed'}    | ${'it is on some fork'}
    ${{ ...late, height: 400, recent: processed }}                     | ${'unconfirmed'}    | ${'its fork was dropped, and it may land on another'}
    ${{ ...late, height: 400, recent: processed, history: final }}     | ${'confirmed'}      | ${'its slot is final, whatever its status says'}
    ${{ ...late, recent: processed, history: final }}                  | ${'confirmed'}      | ${'its time is over, whatever its status says'}
    ${{ ...late, recent: processed }}                                  | ${'expired'}        | ${'its time is over, and no block holds it'}
    ${{ ...early, recent: { one: { at: 'confirmed' } } }}              | ${'confirmed'}      | ${'most validators have voted for it'}
    ${{ ...late, recent: final }}                                      | ${'confirmed'}      | ${'that comes first'}
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
  expect(await sighting({ ...late, history: final }, signed(70))).toBe('confirmed');
});

describe('a transaction on Solana that was in a block', () => {
  it.each`
    shown                                                             | is                  | why
    ${{ ...early, recent: { one: { at: 'confirmed' } } }}             | ${'still-included'} | ${'it is where it was'}
    ${{ ...late, recent: { one: { at: 'finalized' } } }}              | ${'final'}          | ${'it is final'}
    ${{ ...late, history: { one: { at: 'finalized' } } }}             | ${'final'}          | ${'only the history has it'}
    ${{ ...early, recent: { one: { at: 'processed' } } }}             | ${'still-included'} | ${'this node is a little behind'}
    ${{ ...early, recent: { one: { at: 'confirmed', slot: 102 } } }}  | ${'confirmed'}      | ${'a fork took it, and it is in another slot now'}
    ${{ ...late, history: { one: { at: 'finalized', slot: 102 } } }}  | ${'confirmed'}      | ${'it is final in another slot: told first where'}
    ${{ ...early, recent: { one: { at: 'processed', slot: 102 } } }}  | ${'still-included'} | ${'on some fork it is in another slot'}
    ${{ ...early }}                                                   | ${'still-included'} | ${'a node that does not know it proves nothing'}
    ${{ ...late }}                                                    | ${'unconfirmed'}    | ${'the finalized chain is past its slot, without it'}
    ${withheld}                                                       | ${'final'}          | ${'the tokens show its effect on the finalized chain'}
    ${{ ...withheld, hasHistory: false }}                             | ${'final'}          | ${'the same without a history'}
    ${{ ...late, height: 400 }}                                       | ${'unconfirmed'}    | ${'the finalized chain is past its slot, without it'}
    ${{ ...late, recent: { one: { at: 'finalized', err: unpaid } } }} | ${'without-effect'} | ${'it did not run there'}
    ${{ ...withheld, history: withResult({}) }}                       | ${'final'}          | ${'the node shows no result, and the tokens show the effect'}
  `('a transaction that was in a block is $is when $why', async ({ shown, is }) => {
    expect(await sighting(shown, flight(100))).toBe(is);
  });
});

const numbers = (slot: number, height: number) => ({ result: { absoluteSlot: slot, blockHeight: height } });
const status = (at: string, slot: number) => ({
  result: { context: { slot: 932 }, value: [{ slot, confirmationStatus: at, err: null }] },
});

describe('a call that fails for good, or names impossible numbers', () => {
  it.each`
    call                      | answer                       | shown                          | place        | is                  | why
    ${'getSignatureStatuses'} | ${REFUSED}                   | ${{ ...late, history: final }} | ${undefined} | ${'confirmed'}      | ${'the transaction itself shows it'}
    ${'getSignatureStatuses'} | ${REFUSED}                   | ${late}                        | ${undefined} | ${'expired'}        | ${'its time is over'}
    ${'getSignatureStatuses'} | ${REFUSED}                   | ${{ ...late, history: final }} | ${100}       | ${'final'}          | ${'the transaction itself shows it'}
    ${'getSignatureStatuses'} | ${status('confirmed', 1e15)} | ${{ ...late, history: final }} | ${undefined} | ${'confirmed'}      | ${'the transaction itself names the slot'}
    ${'getSignatureStatuses'} | ${status('confirmed', 1e15)} | ${early}                       | ${undefined} | ${'unconfirmed'}    | ${'no chain has that slot'}
    ${'getTransaction'}       | ${REFUSED}                   | ${withheld}                    | ${100}       | ${'final'}          | ${'the tokens show its effect'}
    ${'getMultipleAccounts'}  | ${REFUSED}                   | ${late}                        | ${100}       | ${'unknown'}        | ${'nothing shows it'}
    ${'getMultipleAccounts'}  | ${REFUSED}                   | ${late}                        | ${undefined} | ${'expired'}        | ${'its time is over'}
    ${'getEpochInfo'}         | ${REFUSED}                   | ${late}                        | ${undefined} | ${'expired'}        | ${'the newest final blockhash shows the height'}
    ${'getEpochInfo'}         | ${numbers(0, 0)}             | ${late}                        | ${undefined} | ${'expired'}        | ${'the newest final blockhash shows the height'}
    ${'getEpochInfo'}         | ${numbers(1e15, 1e15)}       | ${early}                       | ${undefined} | ${'unconfirmed'}    | ${'the newest final blockhash shows the height'}
    ${'getEpochInfo'}         | ${numbers(90, 1e15)}         | ${early}                       | ${undefined} | ${'unconfirmed'}    | ${'no chain has more blocks than slots'}
    ${'getEpochInfo'}         | ${numbers(1e15, 1e15)}       | ${early}                       | ${100}       | ${'still-included'} | ${'the finalized chain is not there yet'}
  `('is $is without $call ($why)', async ({ call, answer, shown, place, is }) => {
    expect(await sighting({ ...shown, instead: { [call]: answer } }, flight(place))).toBe(is);
  });

  it('without any final block, the statuses alone count', async () => {
    const instead = { getEpochInfo: REFUSED, getLatestBlockhash: REFUSED };
    expect(await sighting({ ...late, recent: final, instead }, flight(100))).toBe('final');
    expect(await sighting({ ...late, instead }, flight())).toBe('unconfirmed');
  });
});

it('looks up at most 32 transactions at a time', async () => {
  const crowd = Array.from({ length: 50 }, () => flight());
  const seen = await sightings(late, ...crowd);
  expect(seen.slice(0, 32)).toEqual(Array(32).fill('expired'));
  expect(seen.slice(32)).toEqual(Array(18).fill('unconfirmed'));
});
