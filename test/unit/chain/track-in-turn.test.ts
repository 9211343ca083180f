import { describe, expect, it, vi } from 'vitest';
import { type InclusionStatus, type InFlightTransaction, pairAll } from '../../../src/chain/port.ts';
import { type Answers, DISAGREE, portOver } from './endpoints.ts';

/** How the service tracks transactions by several endpoints of a network. */

describe('the inclusion status of a transaction', () => {
  const transaction = { identifiers: ['0x1'] } as unknown as InFlightTransaction;
  const statusOf = async (...endpoints: Answers[]) => (await portOver(...endpoints).port.track([transaction]))[0]?.[1];
  const expired: InclusionStatus = { type: 'expired', asOf: 5 };
  const failed: InclusionStatus = { type: 'without-effect', identifier: '0x1' };
  const final: InclusionStatus = { type: 'final', cost: 5 };
  const unconfirmed: InclusionStatus = { type: 'unconfirmed' };
  const unknown: InclusionStatus = { type: 'unknown', why: 'it has no history' };
  const withheld: InclusionStatus = { type: 'unknown', why: 'it shows no receipt' };

  it.each`
    first      | second                        | status
    ${expired} | ${expired}                    | ${expired}
    ${expired} | ${unconfirmed}                | ${{ type: 'unknown', why: DISAGREE }}
    ${expired} | ${{ type: 'final' }}          | ${{ type: 'unknown', why: DISAGREE }}
    ${expired} | ${undefined}                  | ${expired}
    ${expired} | ${unknown}                    | ${expired}
    ${failed}  | ${failed}                     | ${failed}
    ${failed}  | ${unconfirmed}                | ${{ type: 'unknown', why: DISAGREE }}
    ${final}   | ${{ type: 'final', cost: 7 }} | ${{ type: 'final', cost: 7 }}
    ${final}   | ${{ type: 'still-included' }} | ${{ type: 'still-included' }}
    ${final}   | ${undefined}                  | ${final}
    ${final}   | ${withheld}                   | ${final}
    ${failed}  | ${withheld}                   | ${{ type: 'unknown', why: DISAGREE }}
  `(
    'is $status.type when the endpoints answer with $first.type and $second.type',
    async ({ first, second, status }) => {
      expect(await statusOf({ status: first }, { status: second })).toEqual(status);
    },
  );

  describe('that the endpoints track in turn', () => {
    const included = { type: 'still-included' } as const;
    const confirmed: InclusionStatus = { type: 'confirmed', identifier: '0x1', includedIn: { block: 5 } };
    const late = { ...transaction, signedAtMs: 0 };
    const place = { block: 5 };
    /** Returns the statuses of four runs. */
    const statusesOf = async (tracked: object, ...all: InclusionStatus[]) => {
      const { port, endpoints } = portOver(...all.map((status) => ({ status })));
      const types: string[] = [];
      for (let run = 0; run < 4; run += 1)
        types.push((await port.track([{ ...transaction, ...tracked } as InFlightTransaction]))[0]?.[1].type ?? '');
      return { types, calls: endpoints.map(({ track }) => vi.mocked(track).mock.calls.length) };
    };

    it.each`
      what                                                   | tracked                             | statuses                                            | types
      ${'the first one alone shows the block of a new one'}  | ${{ signedAtMs: Number.MAX_VALUE }} | ${[confirmed, unconfirmed]}                         | ${['confirmed', 'confirmed', 'confirmed', 'confirmed']}
      ${'nobody else is asked about a new one'}              | ${{ signedAtMs: Number.MAX_VALUE }} | ${[unconfirmed, confirmed, confirmed]}              | ${['unconfirmed', 'unconfirmed', 'unconfirmed', 'unconfirmed']}
      ${'the first one hides a block that two others show'}  | ${late}                             | ${[unconfirmed, confirmed, confirmed]}              | ${['unconfirmed', 'confirmed', 'confirmed', 'unconfirmed']}
      ${'the second one invents a block'}                    | ${late}                             | ${[unconfirmed, confirmed, unconfirmed]}            | ${['unconfirmed', 'unknown', 'unconfirmed', 'unconfirmed']}
      ${'two endpoints disagree about a block'}              | ${late}                             | ${[unconfirmed, confirmed]}                         | ${['unconfirmed', 'unknown', 'unconfirmed', 'unknown']}
      ${'the first one says that the block left the chain'}  | ${{ includedIn: place }}            | ${[unconfirmed, included, included]}                | ${['unknown', 'still-included', 'still-included', 'unknown']}
      ${'the second one says that the block left the chain'} | ${{ includedIn: place }}            | ${[included, unconfirmed, included]}                | ${['still-included', 'unknown', 'still-included', 'still-included']}
      ${'the second one names another block'}                | ${{ includedIn: place }}            | ${[included, confirmed, included]}                  | ${['still-included', 'unknown', 'still-included', 'still-included']}
      ${'two endpoints disagree whether the block left'}     | ${{ includedIn: place }}            | ${[unconfirmed, included]}                          | ${['unknown', 'still-included', 'unknown', 'still-included']}
      ${'two of three say that the block left the chain'}    | ${{ includedIn: place }}            | ${[included, unconfirmed, unconfirmed]}             | ${['still-included', 'unconfirmed', 'unconfirmed', 'still-included']}
      ${'the block left, and one endpoint does not show it'} | ${{ includedIn: place }}            | ${[unconfirmed, withheld]}                          | ${['unconfirmed', 'unknown', 'unconfirmed', 'unknown']}
      ${'one of three denies a final block'}                 | ${{ includedIn: place }}            | ${[included, { type: 'final' }, { type: 'final' }]} | ${['still-included', 'final', 'final', 'still-included']}
      ${'one of three denies that a transaction expired'}    | ${late}                             | ${[unconfirmed, expired, expired]}                  | ${['unconfirmed', 'unknown', 'unknown', 'unconfirmed']}
    `('$what: it is $types', async ({ tracked, statuses, types }) => {
      expect((await statusesOf(tracked, ...statuses)).types).toEqual(types);
    });

    it('costs no more calls than one endpoint while nothing changes', async () => {
      expect((await statusesOf({ includedIn: place }, included, included)).calls).toEqual([2, 2]);
      expect((await statusesOf(late, unconfirmed, unconfirmed, unconfirmed)).calls).toEqual([2, 1, 1]);
      expect((await statusesOf({ signedAtMs: Number.MAX_VALUE }, unconfirmed, unconfirmed)).calls).toEqual([4, 0]);
    });

    it('leaves out an endpoint that fails, and keeps the order of the transactions', async () => {
      const { port, endpoints } = portOver({ status: unconfirmed }, {}, { status: unconfirmed, cooling: true });
      const all = [late, { ...transaction, signedAtMs: Number.MAX_VALUE }, late].map((each) => ({
        ...each,
      })) as InFlightTransaction[];
      for (let run = 0; run < 4; run += 1) expect(await port.track(all)).toEqual(pairAll(all, unconfirmed));
      expect(vi.mocked(endpoints[2]?.track as never as () => unknown)).not.toHaveBeenCalled();
    });
  });

  it('asks no second endpoint about an inconclusive status, and asks a hanging endpoint only before a step may be signed again', async () => {
    const { port, endpoints } = portOver({ status: unconfirmed }, { status: expired });
    await port.track([transaction]);
    expect(endpoints[1]?.track).not.toHaveBeenCalled();
    expect(await statusOf({ status: expired }, { status: unconfirmed, hanging: true })).toMatchObject({
      type: 'unknown',
    });
    expect(await statusOf({ status: final }, { status: unconfirmed, hanging: true })).toEqual(final);
  });
});
