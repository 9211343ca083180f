import fc from 'fast-check';
import { expect, it } from 'vitest';
import * as command from '../../../packages/cli/src/pasted-text.ts';
import { withCharacter, wrongCharacter } from '../../../src/lib/characters.ts';

const HEX = /[0-9a-f]/;

it.each`
  text             | sentence
  ${'a0\u200b'}    | ${'Character 3 is U+200B (zero width space)'}
  ${'\ufeffa0'}    | ${'Character 1 is U+FEFF (byte order mark)'}
  ${'a\u00a00'}    | ${'Character 2 is U+00A0 (no-break space)'}
  ${'a 0'}         | ${'Character 2 is U+0020 (space)'}
  ${'a\u202e0'}    | ${'Character 2 is U+202E (an invisible character)'}
  ${'a\u03010'}    | ${'Character 2 is U+0301 (an invisible character)'}
  ${'a\ud83d'}     | ${'Character 2 is U+D83D (an invisible character)'}
  ${'а0'}          | ${'Character 1 is "а" (U+0430)'}
  ${'a０'}         | ${'Character 2 is "０" (U+FF10)'}
  ${'0\u{1d7d8}g'} | ${'Character 2 is "\u{1d7d8}" (U+1D7D8)'}
  ${'a0'}          | ${undefined}
  ${''}            | ${undefined}
`('the first wrong character of $text has a name and a place', ({ text, sentence }) => {
  expect(wrongCharacter(text, HEX)).toBe(sentence);
});

it('the place counts the skipped characters', () => {
  expect(wrongCharacter('0xag', HEX, 2)).toBe('Character 4 is "g" (U+0067)');
  expect(withCharacter('must be hex', '0xag', HEX, 2)).toBe('must be hex. Character 4 is "g" (U+0067)');
  expect(withCharacter('must be hex', '0xaa', HEX, 2)).toBe('must be hex');
});

it('the command names the same character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(command.wrongCharacter(text, HEX)).toBe(wrongCharacter(text, HEX));
    }),
    { numRuns: 1_000 },
  );
});
