import { describe, expect, it } from 'vitest';
import { parseSecondPerson } from '../../../src/config/token-rules.ts';
import { limitOf } from '../../../src/operator/second-person.ts';

const CONSOLE = { operator: {} };

describe('SECOND_PERSON', () => {
  it.each([
    [undefined, {}],
    ['', {}],
    ['{"revocations": 0}', { revocations: 0 }],
    ['{"withdraw": 1, "accept_losses": 9007199254740991}', { withdraw: 1, accept_losses: Number.MAX_SAFE_INTEGER }],
  ])('has the limits of %j', (SECOND_PERSON, limits) => {
    expect(parseSecondPerson({ SECOND_PERSON }, CONSOLE)).toEqual(limits);
  });

  it.each([
    '[]',
    '[1]',
    'null',
    '1',
    '"100"',
    '{"revocation": 100}',
    '{"revocations": "100"}',
    '{"revocations": null}',
    '{"revocations": -1}',
    '{"revocations": 0.5}',
    '{"revocations": 1e16}',
    '{"revocations": 1',
  ])('is refused as %s, because no action would need another person', (SECOND_PERSON) => {
    expect(() => parseSecondPerson({ SECOND_PERSON }, CONSOLE)).toThrow(/^SECOND_PERSON must be JSON/);
  });

  it('needs the console of the operator, whose persons confirm', () => {
    expect(() => parseSecondPerson({ SECOND_PERSON: '{"withdraw": 0}' }, { operator: undefined })).toThrow(
      /CONSOLE_ADMIN_CLIENT_ID/,
    );
    expect(parseSecondPerson({}, { operator: undefined })).toEqual({});
  });

  it('always concerns rights over existing passes if it concerns any action', () => {
    expect(limitOf({}, 'give_rights')).toBeUndefined();
    expect(limitOf({ revocations: undefined }, 'give_rights')).toBeUndefined();
    for (const limits of [{ revocations: 0 }, { withdraw: 100 }]) expect(limitOf(limits, 'give_rights')).toBe(0);
    expect(limitOf({ revocations: 7 }, 'revocations')).toBe(7);
    expect(limitOf({ revocations: 7 }, 'withdraw')).toBeUndefined();
  });
});
