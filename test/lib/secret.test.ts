import { expect, it } from 'vitest';
import { secret } from '../../src/lib/secret.ts';
import { inspect } from './inspect.ts';

const PLANTED = 'planted-7f3a';

it('gives its value to whoever asks for it', () => {
  expect(secret(PLANTED)()).toBe(PLANTED);
});

it.each`
  way                   | show
  ${'JSON'}             | ${(held: unknown) => JSON.stringify({ held })}
  ${'concatenation'}    | ${(held: unknown) => `${held}`}
  ${'inspection'}       | ${(held: unknown) => inspect({ held }, { depth: null, showHidden: true })}
  ${'own properties'}   | ${(held: object) => JSON.stringify(Object.entries(held))}
  ${'an error message'} | ${(held: unknown) => new Error(String(held)).message}
`('does not show in $way', ({ show }) => {
  expect(show(secret(PLANTED))).not.toContain(PLANTED);
});
