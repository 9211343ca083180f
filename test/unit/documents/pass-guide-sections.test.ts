import { expect, it } from 'vitest';
import { tableRows, textOf } from './markdown.ts';
import { GUIDE } from './pass-guide.ts';

const guide = textOf(GUIDE);

it('each row of the choice and of the comparison leads to a section, and no way lacks one of them', () => {
  const rows = tableRows(guide);
  const anchorsOf = (from: string, to: string) => {
    const [, table = ''] = guide.split(`\n## ${from}\n`);
    return new Set(
      [...(table.split(`\n## ${to}\n`)[0] ?? '').matchAll(/\]\(#([\w-]+)\)/g)].map(([, anchor]) => anchor),
    );
  };
  const chosen = anchorsOf('Choose a way', 'Cost, speed and trust');
  expect(anchorsOf('Cost, speed and trust', 'Your values')).toEqual(chosen);
  expect(rows.length).toBeGreaterThan(20);
});
