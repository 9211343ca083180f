import { describe, expect, it } from 'vitest';
import { applyReading } from '../../../src/pass/adopt.ts';
import { pinNextStep } from '../../../src/pass/next-step.ts';
import type { PassEvent } from '../../../src/pass/pass.ts';
import { recordOf, splitEvents } from '../../../src/pass/record.ts';
import { anActivePass, aPass, CONTRACT, NOW, TRANSACTION } from './a-pass.ts';

/** The field names in section 2 of the interface, in its order, and the addition. */
const FIELDS = ['id', 'chain', 'gatekeeperNetwork', 'walletAddress', 'events', 'onChainState', 'state', 'contract'];

const history = (length: number): PassEvent[] =>
  Array.from({ length }, (_, index) => ({ eventType: 'TOKEN_EXPIRY_CHANGED', timestamp: NOW + index }));
const times = (events: readonly PassEvent[]) => events.map(({ timestamp }) => timestamp - NOW);
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);

describe('the history of a pass with more events than its record', () => {
  it('never ends the issuance again, although its confirmation is no longer in the record', () => {
    let pass = anActivePass();
    for (let n = 0; n < 150; n += 1) {
      const { pass: next } = applyReading(pass, { state: n % 2 === 0 ? 'FROZEN' : 'ACTIVE', asOf: 200 + n }, NOW);
      pass = { ...next, events: splitEvents(next.events).recent };
    }
    expect(pass.events.map(({ eventType }) => eventType)).not.toContain('TOKEN_ISSUED_FAILED');
    expect(pass.events).toHaveLength(100);
  });
});

describe('recordOf', () => {
  it('returns exactly the fields of the interface, in its order, and no internal fields', () => {
    const record = recordOf(anActivePass({ step: { isSubmitted: true } }));
    expect(Object.keys(record)).toEqual(FIELDS);
    expect(Object.keys(record.chain)).toEqual(['type', 'network']);
  });

  it('returns a requested pass with its announced issuance', () => {
    const pass = aPass();
    expect(recordOf(pass)).toEqual({
      id: pass.id,
      chain: { type: 'ethereum', network: 'sepolia' },
      gatekeeperNetwork: pass.key.gatekeeperNetwork,
      walletAddress: pass.key.wallet,
      events: [{ eventType: 'TOKEN_ISSUED_INITIATED', timestamp: NOW - 60 }],
      onChainState: 'NONE',
      state: 'REQUESTED',
      contract: CONTRACT,
    });
  });

  it('returns an issued pass with the fields of each event in order', () => {
    const record = recordOf(anActivePass());
    expect(record).toMatchObject({ onChainState: 'ACTIVE', state: 'ACTIVE' });
    const transaction = { identifier: TRANSACTION, status: 'confirmed' };
    expect(JSON.stringify(record.events)).toBe(
      JSON.stringify([
        { eventType: 'TOKEN_ISSUED_INITIATED', timestamp: NOW - 60, transaction },
        { eventType: 'TOKEN_ISSUED', timestamp: NOW - 30, transaction },
      ]),
    );
  });

  it('contains the wanted expiry, and no expiry if only the chain has one', () => {
    const record = recordOf(anActivePass({ wanted: { expiry: NOW + 9 }, onChain: { expiry: NOW } }));
    expect(Object.keys(record)).toEqual([...FIELDS, 'expiryTimestamp']);
    expect(record.expiryTimestamp).toBe(NOW + 9);
    expect(recordOf(anActivePass({ onChain: { expiry: NOW } }))).not.toHaveProperty('expiryTimestamp');
  });

  it('returns at most 100 events, also when the next step has just been announced', () => {
    const full = anActivePass({ events: history(100), wanted: { expiry: NOW + 9 }, onChain: { expiry: NOW } });
    expect(recordOf(full).events).toHaveLength(100);
    const announced = pinNextStep(full, NOW + 500)?.pass ?? full;
    expect(times(recordOf(announced).events)).toEqual([0, ...range(2, 100), 500]);
  });
});

describe('splitEvents', () => {
  it.each`
    length | shown                      | older
    ${0}   | ${[]}                      | ${[]}
    ${1}   | ${[0]}                     | ${[]}
    ${100} | ${range(0, 100)}           | ${[]}
    ${101} | ${[0, ...range(2, 101)]}   | ${[1]}
    ${250} | ${[0, ...range(151, 250)]} | ${range(1, 151)}
  `('keeps the first and the newest 99 of $length events, and returns the others in order', (row) => {
    const split = splitEvents(history(row.length));
    expect(times(split.recent)).toEqual(row.shown);
    expect(times(split.older)).toEqual(row.older);
  });
});
