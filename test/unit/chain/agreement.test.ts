import { describe, expect, it } from 'vitest';
import { agree } from '../../../src/chain/agreement.ts';

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
