import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { CALLS } from '../../../src/chain/solana/node-answers.ts';

it('the documents list every call of a Solana node, and which of them it needs', () => {
  const text = readFileSync('docs/operators/configuration.md', 'utf8');
  const section = text.split('### Calls of a Solana node\n')[1]?.split('\n#')[0] ?? '';
  const listed = section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) => {
      const [calls = '', , without = ''] = line.slice(2, -2).split(' | ');
      return [...calls.matchAll(/`(\w+)`/g)].map(([, method = '']) => [method, without] as const);
    });
  const isNeeded = (without: string) => without.startsWith('needed');
  expect(Object.fromEntries(listed.map(([method, without]) => [method, isNeeded(without)]))).toEqual(
    Object.fromEntries(Object.entries(CALLS).map(([method, { isOptional = false }]) => [method, !isOptional])),
  );
});
