import { type Address, address } from '@solana/kit';
import { COMPUTE_BUDGET_PROGRAM, type ComputeBudget, computeBudget } from './compute-budget.ts';
import { ABSENT, refused, writesOf } from './execution.ts';
import { GATEWAY_PROGRAM } from './gateway-addresses.ts';
import { gatewayProgram } from './gateway-program.ts';
import type { LoadedAccount } from './invocation.ts';
import { type Message, readMessage } from './message.ts';
import { type Program, processMessage } from './message-processor.ts';
import { mayBeLeft } from './rent.ts';
import type { Account, Bank, Execution, Runtime, TransactionError } from './runtime.ts';
import { isSigned } from './signatures.ts';
import { SYSTEM_PROGRAM, systemProgram } from './system-program.ts';

const LAMPORTS_PER_SIGNATURE = 5_000n;
/** Bytes that each account counts for beside its data (SIMD-0186). */
const LOADED_ACCOUNT_OVERHEAD = 64;
const NATIVE_LOADER: Address = address('NativeLoader1111111111111111111111111111111');

const PROGRAMS: ReadonlyMap<Address, Program> = new Map([
  [SYSTEM_PROGRAM, { run: systemProgram, native: true }],
  // What its instructions say has been read before the first one runs.
  [COMPUTE_BUDGET_PROGRAM, { run: ({ consume }) => consume(150n), native: true }],
  [GATEWAY_PROGRAM, { run: gatewayProgram, native: false }],
]);
/** The accounts of those that are part of the validator: their name is what they hold. */
const BUILTINS: ReadonlyMap<Address, Account> = new Map([
  [SYSTEM_PROGRAM, builtin('solana_system_program')],
  [COMPUTE_BUDGET_PROGRAM, builtin('compute_budget_program')],
]);

/**
 * A bank and the three programs that the localnet needs, without the validator: system, compute budget and gateway. It
 * throws on an instruction of theirs that it does not know, rather than pretend.
 */
export function emulation(): Runtime {
  return {
    run(transaction, bank, verify) {
      const message = readMessage(transaction);
      if (typeof message === 'string') return refused(message);
      if (verify && !isSigned(transaction)) return refused('SignatureFailure');
      const budget = computeBudget(message.instructions, (program) => BUILTINS.has(program));
      return 'error' in budget ? refused(budget.error) : execute(message, budget, bank);
    },
  };
}

function execute(message: Message, budget: ComputeBudget, bank: Bank): Execution {
  const fee = BigInt(message.signatures) * LAMPORTS_PER_SIGNATURE + budget.priorityFee;
  const accounts = message.keys.map((key) => load(key, bank));
  const [payer] = accounts as [LoadedAccount];
  const reason = chargeFee(payer, fee) ?? loadingError(message, budget, bank);
  if (reason !== undefined) return refused(reason);
  const charged = { ...payer };
  const processed = processMessage(message, accounts, { programs: PROGRAMS, unitLimit: budget.unitLimit });
  const error = processed.error ?? rentError(message, accounts, bank);
  const written = error === undefined ? accounts.filter((_, index) => message.isWritable(index)) : [charged];
  const writes = writesOf(
    written.map(({ address: key, ...account }) => [key, account]),
    bank,
  );
  return { ...processed, error, lands: true, writes };
}

/** Takes the fee from its payer (agave: `validate_fee_payer`), or says why that cannot be. */
function chargeFee(payer: LoadedAccount, fee: bigint): TransactionError | undefined {
  if (payer.lamports === 0n) return 'AccountNotFound';
  if (payer.owner !== SYSTEM_PROGRAM || payer.data.length > 0) return 'InvalidAccountForFee';
  if (payer.lamports < fee) return 'InsufficientFundsForFee';
  const before = { ...payer };
  payer.lamports -= fee;
  return mayBeLeft(before, payer) ? undefined : { InsufficientFundsForRent: { account_index: 0 } };
}

function loadingError(
  { keys, instructions }: Message,
  { loadedBytes }: ComputeBudget,
  bank: Bank,
): TransactionError | undefined {
  const sizes = keys.map((key) => found(key, bank)).map((it) => (it ? LOADED_ACCOUNT_OVERHEAD + it.data.length : 0));
  if (sizes.reduce((sum, each) => sum + each) > loadedBytes) return 'MaxLoadedAccountsDataSizeExceeded';
  const missing = instructions.find(({ program }) => !PROGRAMS.has(program));
  if (missing === undefined) return undefined;
  return bank.account(missing.program) === undefined ? 'ProgramAccountNotFound' : 'InvalidProgramForExecution';
}

function rentError(message: Message, accounts: readonly LoadedAccount[], bank: Bank): TransactionError | undefined {
  const index = accounts.findIndex(
    (after, at) => message.isWritable(at) && !mayBeLeft(bank.account(after.address), after),
  );
  return index === -1 ? undefined : { InsufficientFundsForRent: { account_index: index } };
}

function load(key: Address, bank: Bank): LoadedAccount {
  const { lamports, data, owner, executable } = found(key, bank) ?? ABSENT;
  return { address: key, lamports, data, owner, executable };
}

function found(key: Address, bank: Bank): Account | undefined {
  return BUILTINS.get(key) ?? bank.account(key);
}

function builtin(name: string): Account {
  return { lamports: 1n, data: new TextEncoder().encode(name), owner: NATIVE_LOADER, executable: true };
}
