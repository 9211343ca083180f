import { expect, it } from 'vitest';
import { PROBLEMS } from '../../../src/http/protocol/problem.ts';
import { textOf } from './markdown.ts';

const page = textOf('docs/partners/errors.md');

it.each(Object.entries(PROBLEMS))(
  'docs/partners/errors.md explains the cause and the remedy of %s',
  (code, { status }) => {
    const [, section] = page.split(new RegExp(`^### ${code}$`, 'm'));
    const own = section?.split(/^#/m)[0] ?? '';
    expect(own).toContain(String(status));
    expect(own).toMatch(/cause/i);
    expect(own).toMatch(/remedy|what to do/i);
  },
);

it('docs/partners/errors.md explains no code that the service does not have', () => {
  const explained = [...page.matchAll(/^### (\w+)$/gm)].map(([, code]) => code);
  expect(explained.sort()).toEqual(Object.keys(PROBLEMS).sort());
});
