import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PROGRESS, WAIT_REASONS } from '../../../src/pass/wait-reasons.ts';

/** Every reason that an operator reads in /admin/stuck and /admin/signers is in the runbook, with its code. */

const ROOT = join(import.meta.dirname, '../../..');
const runbook = readFileSync(join(ROOT, 'docs/operators/runbook.md'), 'utf8');
const table = runbook.slice(runbook.indexOf('| `code`, and what the reason says')).split('\n\n')[0] ?? '';

const reasons = [
  ...Object.entries(WAIT_REASONS).map(([code, { text }]) => [code, text] as const),
  ...Object.entries(PROGRESS),
];

it.each(reasons)('the runbook explains the reason `%s`', (code, text) => {
  const line = table.split('\n').find((row) => row.includes(`\`${code}\`: `) || row.includes(`\`${code}\`, `)) ?? '';
  expect(line).toContain(text);
});

it('the runbook explains no reason that does not exist', () => {
  const codes = table
    .split('\n')
    .slice(2)
    .flatMap((row) => [...(row.split(' | ')[0] ?? '').matchAll(/`([a-z0-9-]+)`/g)]);
  const known = new Set(reasons.map(([code]) => code));
  expect(codes.map((match) => match[1]).filter((code) => !known.has(code as string))).toEqual([]);
});
