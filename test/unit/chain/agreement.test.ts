import { describe, expect, it } from 'vitest';
import { agree, agreedResult, agreedState, undisputed } from '../../../src/chain/agreement.ts';
import type { OnChain, PassKey } from '../../../src/pass/pass.ts';

const [A, B] = [{ code: 'a' }, { code: 'b' }];

describe('agree', () => {
  it.each([
    ['no endpoint answers', [], { type: 'unanswered' }],
    ['one endpoint answers', [A], { type: 'read', value: A, isConfirmed: false }],
    ['two endpoints agree', [A, { ...A }], { type: 'read', value: A, isConfirmed: true }],
    ['two endpoints differ', [A, B], { type: 'disputed' }],
    ['one of three differs', [B, A, B], { type: 'read', value: B, isConfirmed: true }],
    ['two differ from two others', [A, A, B, B], { type: 'disputed' }],
  ])('judges the answers if %s', (_, answers, reading) => {
    expect(agree(answers)).toEqual(reading);
  });
});

describe('endpoints that differ about a burn of the token', () => {
  const shown = (burnedAt?: number): OnChain => ({ state: 'ACTIVE', asOf: 9, burnedAt });
  const found = (burnedAt?: number) => ({ type: 'found', onChain: shown(burnedAt) }) as const;
  const read = (burnedAt?: number) => ({ type: 'read', onChain: shown(burnedAt) }) as const;

  it.each([
    [5, 5, true],
    [5, 0, false],
    [0, 5, false],
    [5, 6, false],
    [0, 0, true],
    // An endpoint that serves no logs shows no burn, and contradicts none up to its block.
    [5, undefined, true],
    [undefined, 5, true],
    [undefined, 10, false],
    [undefined, undefined, true],
  ])('in block %s and %s agree: %s', (a, b, is) => {
    expect(agreedResult(found(a), found(b))).toEqual(is ? found(a ?? b) : undefined);
    expect(agreedState([read(a), read(b)], 2)).toEqual(is ? shown(a ?? b) : undefined);
    const known = { key: {} as PassKey, contract: '', known: { ...shown(), asOf: 4 } };
    // The second endpoint alone does not stop a reading that shows nothing new.
    const unread = { type: a ? 'unreadable' : 'read' };
    expect(undisputed(known, read(a), read(b))).toMatchObject(is ? read(a ?? b) : unread);
  });

  it('do not agree through one that serves no logs', () => {
    expect(agreedState([read(), read(5), read(6)], 3)).toBeUndefined();
  });
});
