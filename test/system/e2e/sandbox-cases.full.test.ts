import { expect, inject, it } from 'vitest';
import { CHAINS } from '../../../src/network/networks.ts';
import { SANDBOX_CASES } from '../../../src/network/sandbox.ts';
import { CASE_HEADS, runSandboxCases } from '../../../tools/localnet/commands/demo/run-sandbox-cases.ts';

/** The list of `npm run demo`. */

it('the demo shows every deterministic wallet in the forms of both chains, each with its outcome', async () => {
  const outcomes = await runSandboxCases(inject('gatepass'));
  expect(outcomes.filter(({ isAsExpected }) => !isAsExpected).map(({ row }) => row)).toEqual([]);
  for (const network of ['sepolia', 'devnet'])
    expect(outcomes.filter((each) => each.network === network).map(({ name }) => name)).toEqual(SANDBOX_CASES);
  expect(outcomes).toHaveLength(SANDBOX_CASES.length * CHAINS.length);
  for (const { row } of outcomes) expect(row).toHaveLength(CASE_HEADS.length);
});
