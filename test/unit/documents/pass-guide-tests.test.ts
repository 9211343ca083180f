import { expect, it } from 'vitest';
import { tableRows, textOf } from './markdown.ts';
import { GUIDE, guideBlock } from './pass-guide.ts';

/** Each example of the guide "Require a pass" has a test that runs it. */

const SYSTEM = 'test/system/require-a-pass';
/** The test of each example by its name. */
const TESTS: Readonly<Record<string, string>> = {
  'tsx [React]': `${SYSTEM}/react.test.ts`,
  'ts [viem]': `${SYSTEM}/contracts-and-traps.test.ts`,
  'ts [ethers]': 'test/packages/pass-guide.ts',
  'tsx [wagmi]': 'test/packages/pass-guide.ts',
  'solidity [PassGate]': `${SYSTEM}/contracts-and-traps.test.ts`,
  'solidity [Gated]': `${SYSTEM}/contracts-and-traps.test.ts`,
  'ts [Checker]': `${SYSTEM}/contracts-and-traps.test.ts`,
  'ts [TypeScript]': `${SYSTEM}/ethereum.test.ts`,
  'python [Python]': `${SYSTEM}/ethereum.test.ts`,
  'ts [Solana client]': `${SYSTEM}/solana.test.ts`,
  'rust [pass.rs]': `${SYSTEM}/solana.test.ts`,
  'rust [program.rs]': 'test/unit/documents/pass-guide-rust.test.ts',
  'rust [hook.rs]': 'test/unit/documents/pass-guide-hook.test.ts',
  'ts [Two nodes]': `${SYSTEM}/contracts-and-traps.test.ts`,
};
const guide = textOf(GUIDE);

it('each code block has a name, and a test that takes it', () => {
  const named = [...guide.matchAll(/^```(\S.*)$/gm)].map(([, name = '']) => name);
  expect(named).toEqual(Object.keys(TESTS));
  for (const [example, test] of Object.entries(TESTS)) {
    const [, language = '', name = ''] = /^(\w+) \[(.+)\]$/.exec(example) ?? [];
    expect(guideBlock(language, name.replaceAll('.', '\\.'))).not.toBe('');
    const quoted = [`'${name}'`, `'${name.replaceAll('.', '\\\\.')}'`];
    const text = textOf(test);
    expect([example, quoted.some((each) => text.includes(each)) || text.includes(`${name}: /`)]).toEqual([
      example,
      true,
    ]);
  }
});

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
