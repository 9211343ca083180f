import { type Address, address, getTransactionDecoder, type Transaction } from '@solana/kit';
import { Transaction as LegacyTransaction, PublicKey, type TransactionInstruction } from '@solana/web3.js';
import { expect, it } from 'vitest';
import { findSolanaProgram } from '../../../../../../tools/localnet/solana/program-file.ts';
import { createEmulation } from '../../../../../../tools/localnet/solana/runtime/emulation.ts';
import type { Account, Bank, Runtime } from '../../../../../../tools/localnet/solana/runtime/runtime.ts';
import { SYSTEM_PROGRAM } from '../../../../../../tools/localnet/solana/runtime/system-program.ts';
import recorded from '../../../../../vectors/solana-gateway.json' with { type: 'json' };

type Step = (typeof recorded.steps)[number];

const PAYER = address(recorded.payer);
const RICH: Account = { lamports: 10n ** 12n, data: new Uint8Array(), owner: SYSTEM_PROGRAM, executable: false };

const file = findSolanaProgram(undefined);
/** The emulation, and the program itself if its file exists. The test then proves that the file is the recorded program. */
const RUNTIMES: [string, () => Promise<Runtime>][] = [
  ['the emulation', async () => createEmulation()],
  ...(file === undefined ? [] : [['the program', () => machineWith(file)] satisfies [string, () => Promise<Runtime>]]),
];

async function machineWith(program: string): Promise<Runtime> {
  const { createVirtualMachine } = await import('../../../../../../tools/localnet/solana/runtime/litesvm.ts');
  return createVirtualMachine({ address: address(recorded.program), file: program });
}

it.each(RUNTIMES)(
  '%s produces the errors, bytes and lamports of the real program in 600 recorded steps',
  async (_, open) => {
    const accounts = new Map<Address, Account>([[PAYER, RICH]]);
    const clock = { slot: 1n, unixTimestamp: BigInt(recorded.clockUnixSeconds) };
    const bank: Bank = { account: (key) => accounts.get(key), clock, lamportsPerByte: 6_960n };
    const total = () => [...accounts.values()].reduce((sum, { lamports }) => sum + lamports, 0n);
    const runtime = await open();
    const compared: Record<string, number> = {};

    for (const [number, step] of recorded.steps.entries()) {
      const transaction = transactionOf(step);
      const before = total();
      const { error, lands, writes } = runtime.run(transaction, bank, false);
      for (const [key, account] of writes) {
        if (account === undefined) accounts.delete(key);
        else accounts.set(key, account);
      }
      const pass = accounts.get(address(step.pass.address));
      const seen = {
        error: error ?? null,
        data: pass === undefined ? null : Buffer.from(pass.data).toString('hex'),
        lamports: Number(pass?.lamports ?? 0n),
      };
      const { data, lamports } = step.pass;
      expect(seen, `step ${number}: ${step.op}`).toEqual({ error: inTransaction(step.error), data, lamports });
      expect({ lands, fee: before - total() }).toEqual({ lands: true, fee: feeOf(transaction) });
      compared[step.op] = (compared[step.op] ?? 0) + 1;
    }

    expect(compared).toEqual({
      addGatekeeper: 57,
      issue: 166,
      setState: 181,
      updateExpiry: 110,
      removeGatekeeper: 22,
      burn: 64,
    });
  },
);

/** Returns the transaction of a step without signatures, because the recording does not have the gatekeepers' keys. */
function transactionOf({ accounts, data }: Step): Transaction {
  const instruction: TransactionInstruction = {
    programId: new PublicKey(recorded.program),
    keys: accounts.map(([key, role]) => ({
      pubkey: new PublicKey(key as string),
      isSigner: role?.endsWith('signer') ?? false,
      isWritable: role?.startsWith('writable') ?? false,
    })),
    data: Buffer.from(data, 'hex'),
  };
  const transaction = new LegacyTransaction({
    feePayer: new PublicKey(PAYER),
    blockhash: PublicKey.default.toBase58(),
    lastValidBlockHeight: 0,
  }).add(instruction);
  const bytes = transaction.serialize({ requireAllSignatures: false, verifySignatures: false });
  return getTransactionDecoder().decode(new Uint8Array(bytes));
}

/** Returns the error of the transaction. The recording holds only the error of its single instruction. */
function inTransaction(error: Step['error']) {
  return error === null ? null : { InstructionError: [0, error] };
}

function feeOf({ signatures }: Transaction): bigint {
  return 5_000n * BigInt(Object.keys(signatures).length);
}
