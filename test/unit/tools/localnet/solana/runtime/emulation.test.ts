import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Address } from '@solana/kit';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { createEmulation } from '../../../../../../tools/localnet/solana/runtime/emulation.ts';
import { GATEWAY_PROGRAM } from '../../../../../../tools/localnet/solana/runtime/gateway-addresses.ts';
import { createVirtualMachine } from '../../../../../../tools/localnet/solana/runtime/litesvm.ts';
import type { Account, Bank, Execution, Runtime } from '../../../../../../tools/localnet/solana/runtime/runtime.ts';
import { LONG } from '../../../../../form.ts';
import { programReturning, writeProgram } from '../../../../../sbf-program.ts';
import { type Scene, scenes, version1Scenes } from './random-transactions.ts';

const folder = mkdtempSync(join(tmpdir(), 'gatepass-'));
afterAll(() => rmSync(folder, { recursive: true }));

const CLOCK = { slot: 7n, unixTimestamp: 1_800_000_000n };
const RUNS = LONG ? 1_000 : 200;
// The short form has a fixed seed, because a common error may not occur in a small number of runs.
const SEED = LONG ? {} : { seed: 15 };

/** The common results of random transactions. Each of them must occur in a run. */
const COMMON = [
  'none',
  'Custom 0',
  'Custom 1',
  'InvalidArgument',
  'ReadonlyLamportChange',
  'InvalidInstructionData',
  'ComputationalBudgetExceeded',
  'InsufficientFundsForRent',
  'InsufficientFundsForFee',
  'InvalidAccountForFee',
  'DuplicateInstruction',
  'ProgramAccountNotFound',
  'SanitizeFailure',
  'SignatureFailure',
];
const COMMON_OF_VERSION_1 = [
  'none',
  'Custom 1',
  'ComputationalBudgetExceeded',
  'InsufficientFundsForFee',
  'MaxLoadedAccountsDataSizeExceeded',
  'SanitizeFailure',
];

it.each([
  ['legacy and 0', scenes, COMMON],
  ['1', version1Scenes, COMMON_OF_VERSION_1],
])(
  'executes native programs like the virtual machine of the validator in transactions of version %s',
  (_, sent, common) => {
    const file = join(folder, 'program.so');
    writeProgram(programReturning(0), file);
    const emulated = createEmulation();
    const real = createVirtualMachine({ address: GATEWAY_PROGRAM, file });
    const seen = new Map<string, number>();

    fc.assert(
      fc.property(sent, (scene) => {
        const outcome = outcomeOf(real, scene);
        expect(outcomeOf(emulated, scene)).toEqual(outcome);
        const kind = kindOf(outcome.error);
        seen.set(kind, (seen.get(kind) ?? 0) + 1);
      }),
      { numRuns: RUNS, ...SEED },
    );

    expect([...seen.values()].reduce((sum, count) => sum + count)).toBe(RUNS);
    expect(seen.get('none')).toBeGreaterThan(RUNS / 5);
    expect([...seen.keys()]).toEqual(expect.arrayContaining(common));
  },
);

/** Returns the visible outcome of a run, with the accounts of the scene after the run. */
function outcomeOf(runtime: Runtime, { accounts, transaction, verify, lamportsPerByte }: Scene) {
  const bank: Bank = { account: (key) => accounts.get(key), clock: CLOCK, lamportsPerByte };
  const { writes, ...outcome } = runtime.run(transaction, bank, verify);
  const after = new Map<Address, Account | undefined>([...accounts, ...writes]);
  return { ...outcome, after };
}

function kindOf(error: Execution['error']): string {
  if (error === undefined) return 'none';
  if (typeof error === 'string') return error;
  if (!('InstructionError' in error)) return Object.keys(error).join();
  const [, reason] = error.InstructionError;
  return typeof reason === 'string' ? reason : `Custom ${reason.Custom}`;
}
