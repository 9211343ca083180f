import { expect, it } from 'vitest';
import { formatCursor, parseCursor } from '../../../src/lib/cursor.ts';

it('parses a formatted position to the same position', () => {
  for (const position of [
    { at: 0, id: 'a' },
    { at: 1_800_000_000, id: '019f0000-0000-7000-8000-000000000001' },
    { at: 5, id: 'F00d_-' },
  ]) {
    expect(parseCursor(formatCursor(position))).toEqual(position);
  }
});

it.each(['', ':', '1:', ':a', 'a:1', '-1:a', '1.5:a', '1:a b', '1:a:b', `1:${'a'.repeat(101)}`, '1234567890123:a'])(
  'returns undefined for "%s", which is not a position',
  (text) => expect(parseCursor(text)).toBeUndefined(),
);
