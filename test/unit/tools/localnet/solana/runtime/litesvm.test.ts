import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { address, getTransactionDecoder } from '@solana/kit';
import {
  Keypair,
  PublicKey,
  SYSVAR_CLOCK_PUBKEY,
  SYSVAR_RENT_PUBKEY,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { afterAll, describe, expect, it } from 'vitest';
import { Failure } from '../../../../../../terminal/failure.ts';
import { GATEWAY_PROGRAM } from '../../../../../../tools/localnet/solana/runtime/gateway-addresses.ts';
import { createVirtualMachine } from '../../../../../../tools/localnet/solana/runtime/litesvm.ts';
import type { Account, Bank } from '../../../../../../tools/localnet/solana/runtime/runtime.ts';
import { SYSTEM_PROGRAM } from '../../../../../../tools/localnet/solana/runtime/system-program.ts';
import { programReturning, programReturningWordAt, writeProgram } from '../../../../../sbf-program.ts';

const folder = mkdtempSync(join(tmpdir(), 'gatepass-'));
afterAll(() => rmSync(folder, { recursive: true }));

const payer = Keypair.fromSeed(new Uint8Array(32).fill(1));
const PAYER = address(payer.publicKey.toBase58());
const RICH: Account = { lamports: 10n ** 9n, data: new Uint8Array(), owner: SYSTEM_PROGRAM, executable: false };

describe('createVirtualMachine', () => {
  it('runs a program from a file and charges the payer', () => {
    const { error, lands, unitsConsumed, writes, logs } = machineWith(programReturning(0)).run(
      call(),
      bankOf(RICH),
      true,
    );
    expect({ error, lands, unitsConsumed }).toEqual({ error: undefined, lands: true, unitsConsumed: 2n });
    expect(writes).toEqual(new Map([[PAYER, { ...RICH, lamports: RICH.lamports - 5_000n }]]));
    expect(logs).toEqual([
      `Program ${GATEWAY_PROGRAM} invoke [1]`,
      `Program ${GATEWAY_PROGRAM} consumed 2 of 200000 compute units`,
      `Program ${GATEWAY_PROGRAM} success`,
    ]);
  });

  it('returns the error number of a failed program and charges the payer', () => {
    const { error, lands, writes } = machineWith(programReturning(6)).run(call(), bankOf(RICH), true);
    expect({ error, lands }).toEqual({ error: { InstructionError: [0, { Custom: 6 }] }, lands: true });
    expect(writes.get(PAYER)?.lamports).toBe(RICH.lamports - 5_000n);
  });

  it.each`
    what                  | sysvar                 | at    | expected
    ${'slot of the bank'} | ${SYSVAR_CLOCK_PUBKEY} | ${0}  | ${77}
    ${'time of the bank'} | ${SYSVAR_CLOCK_PUBKEY} | ${32} | ${1_900_000_000}
    ${'rent of the bank'} | ${SYSVAR_RENT_PUBKEY}  | ${0}  | ${5_080}
  `('shows a program the $what', ({ sysvar, at, expected }) => {
    const { error } = machineWith(programReturningWordAt(at)).run(call([sysvar]), bankOf(RICH), true);
    expect(error).toEqual({ InstructionError: [0, { Custom: expected }] });
  });

  it('reads the accounts of the bank and keeps nothing of an earlier run', () => {
    const machine = machineWith(programReturning(0));
    machine.run(call(), bankOf(RICH), true);
    expect(machine.run(call(), bankOf(undefined), true)).toMatchObject({ error: 'AccountNotFound', lands: false });
    const { writes } = machine.run(call(), bankOf(RICH), true);
    expect(writes.get(PAYER)?.lamports).toBe(RICH.lamports - 5_000n);
  });
});

it.each`
  file         | says
  ${'none.so'} | ${/none\.so is no program that can run \(No such file/}
  ${'text.so'} | ${/text\.so is no program that can run .*solana program dump .*gatem74/}
  ${'.'}       | ${/is no program that can run \(Is a directory/}
`('refuses $file, which is not a program', ({ file, says }) => {
  writeFileSync(join(folder, 'text.so'), 'a text instead of a program');
  const start = () => createVirtualMachine({ address: GATEWAY_PROGRAM, file: join(folder, file) });
  expect(start).toThrow(Failure);
  expect(start).toThrow(says);
});

function machineWith(code: Buffer) {
  const file = join(folder, 'program.so');
  writeProgram(code, file);
  return createVirtualMachine({ address: GATEWAY_PROGRAM, file });
}

function call(accounts: readonly PublicKey[] = []) {
  const instruction = new TransactionInstruction({
    programId: new PublicKey(GATEWAY_PROGRAM),
    keys: accounts.map((pubkey) => ({ pubkey, isSigner: false, isWritable: false })),
  });
  const parts = { payerKey: payer.publicKey, recentBlockhash: SYSTEM_PROGRAM, instructions: [instruction] };
  const transaction = new VersionedTransaction(new TransactionMessage(parts).compileToV0Message());
  transaction.sign([payer]);
  return getTransactionDecoder().decode(transaction.serialize());
}

function bankOf(account: Account | undefined): Bank {
  const clock = { slot: 77n, unixTimestamp: 1_900_000_000n };
  return { account: (key) => (key === PAYER ? account : undefined), clock, lamportsPerByte: 5_080n };
}
