import { expect, it } from 'vitest';
import { remedyOf } from '../../../src/operator/remedies.ts';
import { ENDS, PROGRESS, WAIT_REASONS } from '../../../src/pass/wait-reasons.ts';
import { DOCUMENTS, textOf } from './markdown.ts';

/** Every reason that an operator reads in the answers of /admin is in the runbook, with its code and its remedy. */

const page = textOf('docs/operators/runbook/reasons-to-wait.md');
const titles = DOCUMENTS.filter((file) => file.startsWith('docs/operators/runbook/')).map(
  (file) => /^# (.*)$/m.exec(textOf(file))?.[1],
);

/** Returns the rows of the table that begins with this heading. */
const tableOf = (heading: string) => (page.slice(page.indexOf(heading)).split('\n\n')[0] ?? '').split('\n').slice(2);
const ROWS = [...tableOf('| `code`, and what the reason says'), ...tableOf('| `code`, and what the look-up says')];

const reasons = Object.entries({ ...WAIT_REASONS, ...PROGRESS, ...ENDS }).map(
  ([code, row]) => [code, { text: typeof row === 'string' ? row : row.text, remedy: remedyOf({ code }) }] as const,
);

const withoutMarks = (text: string) => text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '');

it.each(reasons)('the runbook explains the reason `%s`, with the same remedy', (code, { text, remedy }) => {
  const line = ROWS.find((row) => row.includes(`\`${code}\`: `) || row.includes(`\`${code}\`, `)) ?? '';
  expect(line).toContain(text);
  expect(withoutMarks(line.split(' | ').at(-1) ?? '')).toContain(remedy);
});

it.each(reasons)('the remedy of `%s` names a page of the runbook that exists', (_, { remedy }) => {
  const [, title] = /\(runbook: ([^)]*)\)/.exec(remedy) ?? [];
  if (title !== undefined) expect(titles).toContain(title);
  expect(remedy).toMatch(/^[A-Z].*\.$/);
});

it('the runbook explains no reason that does not exist', () => {
  const codes = ROWS.flatMap((row) => [...(row.split(' | ')[0] ?? '').matchAll(/`([a-z0-9-]+)`/g)]);
  const known = new Set(reasons.map(([code]) => code));
  expect(codes.map((match) => match[1]).filter((code) => !known.has(code as string))).toEqual([]);
});
