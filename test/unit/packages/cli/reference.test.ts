import fc from 'fast-check';
import * as v from 'valibot';
import { expect, it } from 'vitest';
import { isReference } from '../../../../packages/cli/src/csv/reference.ts';
import { PassFilter } from '../../../../src/http/schemas/requests.ts';

/** The command checks references by the rules of the service. */

const odd = ['\0', '\n', '\u0085', '\u2028', '\u202e', '\u200f', '\ud800', ' ', '\u00a0', '\ufeff', '😀', 'a', "'"];
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 140 }),
  fc.array(fc.constantFrom(...odd), { maxLength: 5 }).map((parts) => parts.join('')),
  fc.constantFrom(...[0, 1, 127, 128, 129].flatMap((length) => ['x'.repeat(length), '😀'.repeat(length)])),
);

it('accepts the same references as the service', () => {
  fc.assert(
    fc.property(text, (reference) => {
      expect(isReference(reference)).toBe(v.safeParse(PassFilter, { reference }).success);
    }),
  );
});
