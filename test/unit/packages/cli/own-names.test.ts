import fc from 'fast-check';
import * as v from 'valibot';
import { expect, it } from 'vitest';
import { NAME_RULES, OWN_NAMES } from '../../../../packages/cli/src/csv/own-names.ts';
import { PassFilter } from '../../../../src/http/schemas/requests.ts';

/** The command checks references and subjects by the rules of the service. */

const odd = [
  '\0',
  '\n',
  '\u0085',
  '\u2028',
  '\u202e',
  '\u200f',
  '\ud800',
  ' ',
  '\u00a0',
  '\ufeff',
  '😀',
  'a',
  "'",
  '.',
];
const lengths = [0, 1, 63, 64, 65, 127, 128, 129];
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 140 }),
  fc.string({ maxLength: 70 }),
  fc.array(fc.constantFrom(...odd), { maxLength: 5 }).map((parts) => parts.join('')),
  fc.constantFrom(...lengths.flatMap((length) => ['x'.repeat(length), '😀'.repeat(length), '.'.repeat(length)])),
  fc.constantFrom('.', '..', '...', '/', '%2F', '!', '~'),
);

it.each(OWN_NAMES)('accepts each %s that the service accepts, and no other', (name) => {
  fc.assert(
    fc.property(text, (given) => {
      expect(NAME_RULES[name].accepts(given)).toBe(v.safeParse(PassFilter, { [name]: given }).success);
    }),
  );
});
