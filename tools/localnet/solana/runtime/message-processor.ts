import type { Address } from '@solana/kit';
import { instructionErrorText } from './instruction-error-text.ts';
import {
  failInstruction,
  InstructionFailure,
  type Invocation,
  type LoadedAccount,
  type NamedAccount,
} from './invocation.ts';
import type { Message } from './message.ts';
import type { Clock, InstructionError, TransactionError } from './runtime.ts';

export interface Program {
  run(invocation: Invocation, clock: Clock): void;
  /** Whether it is part of the validator. Other programs run in the virtual machine, and the log has their consumption. */
  readonly native: boolean;
}

type Programs = ReadonlyMap<Address, Program>;

/** The consumption and the log of a transaction so far. */
interface Meter {
  unitsLeft: bigint;
  readonly logs: string[];
}

interface Processed {
  readonly error: TransactionError | undefined;
  readonly unitsConsumed: bigint;
  readonly logs: readonly string[];
}

/**
 * Runs the instructions of a message in order, up to the first failure.
 *
 * @param accounts The accounts of the message, in its order. They are changed in place, also by a failed transaction.
 * @param programs All programs of the message.
 */
export function processMessage(
  message: Message,
  accounts: readonly LoadedAccount[],
  { unitLimit, ...given }: Omit<Machine, 'meter'> & { readonly unitLimit: bigint },
): Processed {
  const meter: Meter = { unitsLeft: unitLimit, logs: [] };
  const done = (error?: TransactionError) => ({ error, unitsConsumed: unitLimit - meter.unitsLeft, logs: meter.logs });
  for (const [index, { program, accounts: indexes, data }] of message.instructions.entries()) {
    const named = indexes.map((at) => ({
      account: accounts[at] as LoadedAccount,
      signer: message.isSigner(at),
      writable: message.isWritable(at),
    }));
    const error = invoke({ program, accounts: named, data }, 1, { ...given, meter });
    if (error !== undefined) return done({ InstructionError: [index, error] });
  }
  return done();
}

interface Machine {
  readonly programs: Programs;
  readonly lamportsPerByte: bigint;
  readonly meter: Meter;
  readonly clock: Clock;
}

type Call = Pick<Invocation, 'program' | 'accounts' | 'data'>;

function invoke(call: Call, depth: number, machine: Machine): InstructionError | undefined {
  const { meter } = machine;
  const program = machine.programs.get(call.program) as Program;
  const unitsBefore = meter.unitsLeft;
  const lamportsBefore = lamportsOf(call);
  meter.logs.push(`Program ${call.program} invoke [${depth}]`);
  const error = catchFailure(() => {
    program.run(invocationOf(call, depth, machine), machine.clock);
    if (lamportsOf(call) !== lamportsBefore) failInstruction('UnbalancedInstruction');
  });
  if (!program.native) {
    const consumed = unitsBefore - meter.unitsLeft;
    meter.logs.push(`Program ${call.program} consumed ${consumed} of ${unitsBefore} compute units`);
  }
  meter.logs.push(
    `Program ${call.program} ${error === undefined ? 'success' : `failed: ${instructionErrorText(error)}`}`,
  );
  return error;
}

function invocationOf(call: Call, depth: number, machine: Machine): Invocation {
  const { meter, lamportsPerByte } = machine;
  const { native } = machine.programs.get(call.program) as Program;
  const log = (line: string) => {
    meter.logs.push(line);
  };
  return {
    ...call,
    lamportsPerByte,
    log,
    consume(units) {
      const enough = units <= meter.unitsLeft;
      meter.unitsLeft = enough ? meter.unitsLeft - units : 0n;
      if (!enough) failInstruction(native ? 'ComputationalBudgetExceeded' : 'ProgramFailedToComplete');
    },
    invoke(program, accounts, data, derived) {
      if (!call.accounts.some(({ account }) => account.address === program)) {
        log(`Unknown program ${program}`);
        failInstruction('MissingAccount');
      }
      for (const named of accounts) expectPrivileges(named, call, derived, log);
      const error = invoke({ program, accounts, data }, depth + 1, machine);
      if (error !== undefined) failInstruction(error);
    },
  };
}

/** A program passes on only its own rights, and signatures of its derived addresses. */
function expectPrivileges(
  named: NamedAccount,
  caller: Call,
  derived: readonly Address[],
  log: (line: string) => void,
): void {
  const { address } = named.account;
  const given = caller.accounts.filter(({ account }) => account === named.account);
  const maySign = derived.includes(address) || given.some(({ signer }) => signer);
  const mayWrite = given.some(({ writable }) => writable);
  if (named.writable && !mayWrite) {
    log(`${address}'s writable privilege escalated`);
    failInstruction('PrivilegeEscalation');
  }
  if (named.signer && !maySign) {
    log(`${address}'s signer privilege escalated`);
    failInstruction('PrivilegeEscalation');
  }
}

function lamportsOf({ accounts }: Call): bigint {
  return [...new Set(accounts.map(({ account }) => account))].reduce((sum, { lamports }) => sum + lamports, 0n);
}

function catchFailure(run: () => void): InstructionError | undefined {
  try {
    run();
    return undefined;
  } catch (failure) {
    if (failure instanceof InstructionFailure) return failure.error;
    throw failure;
  }
}
