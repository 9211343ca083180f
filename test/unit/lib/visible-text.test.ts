import { describe, expect, it } from 'vitest';
import { escapeHidden, isVisibleText } from '../../../src/lib/characters.ts';

const HIDDEN = {
  NUL: '\0',
  'line feed': '\n',
  ESC: '\u001b[2J',
  DEL: '\u007f',
  'a C1 control': '\u009b31m',
  'a line separator': '\u2028',
  'a paragraph separator': '\u2029',
  'an override of the direction': 'a\u202eb',
  'an isolate': 'a\u2066b',
  'a mark of the direction': 'a\u200fb',
  'an Arabic mark of the direction': 'a\u061cb',
  'a lone surrogate': '\ud83d',
  'the other lone surrogate': '\ude00',
};

describe('a text that others see', () => {
  it.each(Object.entries(HIDDEN))('must not contain %s', (_, text) => {
    expect(isVisibleText(text)).toBe(false);
  });

  it.each(['Production', 'Prüfung – für Zürich', 'مثال', 'می‌خواهم', '日本語', '👩‍👩‍👧 family', 'a\u00a0b'])(
    'may be %s',
    (text) => {
      expect(isVisibleText(text)).toBe(true);
    },
  );
});

it('an escaped JSON text has the same value and no hidden character', () => {
  const value = { text: Object.values(HIDDEN).join('x'), other: 'Zürich 👩‍👧' };
  const escaped = escapeHidden(JSON.stringify(value));
  expect(isVisibleText(escaped)).toBe(true);
  expect(JSON.parse(escaped)).toEqual(value);
  expect(escaped).toContain('Zürich 👩‍👧');
});
