import { type Address, address } from '@solana/kit';
import { COMPUTE_BUDGET_PROGRAM, type ComputeBudget, readComputeBudget } from './compute-budget.ts';
import { ABSENT_ACCOUNT, refusedExecution, writesOf } from './execution.ts';
import { GATEWAY_PROGRAM } from './gateway-addresses.ts';
import { runGatewayProgram } from './gateway-program.ts';
import type { LoadedAccount } from './invocation.ts';
import { type Message, readMessage } from './message.ts';
import { type Program, processMessage } from './message-processor.ts';
import { isRentChangeAllowed } from './rent.ts';
import type { Account, Bank, Execution, Runtime, TransactionError } from './runtime.ts';
import { isFullySigned } from './signatures.ts';
import { runSystemProgram, SYSTEM_PROGRAM } from './system-program.ts';

const LAMPORTS_PER_SIGNATURE = 5_000n;
/** Bytes that each account counts in addition to its data (SIMD-0186). */
const LOADED_ACCOUNT_OVERHEAD = 64;
const NATIVE_LOADER: Address = address('NativeLoader1111111111111111111111111111111');

const PROGRAMS: ReadonlyMap<Address, Program> = new Map([
  [SYSTEM_PROGRAM, { run: runSystemProgram, native: true }],
  // Its instructions were read before the first one runs.
  [COMPUTE_BUDGET_PROGRAM, { run: ({ consume }) => consume(150n), native: true }],
  [GATEWAY_PROGRAM, { run: runGatewayProgram, native: false }],
]);
/** The accounts of builtin programs: their data is their name. */
const BUILTINS: ReadonlyMap<Address, Account> = new Map([
  [SYSTEM_PROGRAM, builtinAccount('solana_system_program')],
  [COMPUTE_BUDGET_PROGRAM, builtinAccount('compute_budget_program')],
]);

/**
 * A bank with the three programs that the localnet needs, without the validator: system, compute budget and gateway. It throws for
 * an instruction of theirs that it does not know.
 */
export function createEmulation(): Runtime {
  return {
    run(transaction, bank, verify) {
      const message = readMessage(transaction);
      if (typeof message === 'string') return refusedExecution(message);
      if (verify && !isFullySigned(transaction)) return refusedExecution('SignatureFailure');
      const budget = readComputeBudget(message, (program) => BUILTINS.has(program));
      return 'error' in budget ? refusedExecution(budget.error) : execute(message, budget, bank);
    },
  };
}

function execute(message: Message, budget: ComputeBudget, bank: Bank): Execution {
  const fee = BigInt(message.signatures) * LAMPORTS_PER_SIGNATURE + budget.priorityFee;
  const accounts = message.keys.map((key) => loadAccount(key, bank));
  const [payer] = accounts as [LoadedAccount];
  const { lamportsPerByte } = bank;
  const reason = chargeFee(payer, fee, lamportsPerByte) ?? loadingError(message, budget, bank);
  if (reason !== undefined) return refusedExecution(reason);
  const charged = { ...payer };
  const processed = processMessage(message, accounts, {
    programs: PROGRAMS,
    unitLimit: budget.unitLimit,
    clock: bank.clock,
    lamportsPerByte,
  });
  const error = processed.error ?? rentError(message, accounts, bank);
  const written = error === undefined ? accounts.filter((_, index) => message.isWritable(index)) : [charged];
  const writes = writesOf(
    written.map(({ address: key, ...account }) => [key, account]),
    bank,
  );
  return { ...processed, error, lands: true, writes };
}

/** Takes the fee from its payer (agave: `validate_fee_payer`), or returns the reason why it cannot. */
function chargeFee(payer: LoadedAccount, fee: bigint, lamportsPerByte: bigint): TransactionError | undefined {
  if (payer.lamports === 0n) return 'AccountNotFound';
  if (payer.owner !== SYSTEM_PROGRAM || payer.data.length > 0) return 'InvalidAccountForFee';
  if (payer.lamports < fee) return 'InsufficientFundsForFee';
  const before = { ...payer };
  payer.lamports -= fee;
  const isAllowed = isRentChangeAllowed(before, payer, lamportsPerByte);
  return isAllowed ? undefined : { InsufficientFundsForRent: { account_index: 0 } };
}

function loadingError(
  { keys, instructions }: Message,
  { loadedBytes }: ComputeBudget,
  bank: Bank,
): TransactionError | undefined {
  const sizes = keys
    .map((key) => findAccount(key, bank))
    .map((it) => (it ? LOADED_ACCOUNT_OVERHEAD + it.data.length : 0));
  if (sizes.reduce((sum, each) => sum + each) > loadedBytes) return 'MaxLoadedAccountsDataSizeExceeded';
  const missing = instructions.find(({ program }) => !PROGRAMS.has(program));
  if (missing === undefined) return undefined;
  return bank.account(missing.program) === undefined ? 'ProgramAccountNotFound' : 'InvalidProgramForExecution';
}

function rentError(message: Message, accounts: readonly LoadedAccount[], bank: Bank): TransactionError | undefined {
  const index = accounts.findIndex(
    (after, at) =>
      message.isWritable(at) && !isRentChangeAllowed(bank.account(after.address), after, bank.lamportsPerByte),
  );
  return index === -1 ? undefined : { InsufficientFundsForRent: { account_index: index } };
}

function loadAccount(key: Address, bank: Bank): LoadedAccount {
  const { lamports, data, owner, executable } = findAccount(key, bank) ?? ABSENT_ACCOUNT;
  return { address: key, lamports, data, owner, executable };
}

function findAccount(key: Address, bank: Bank): Account | undefined {
  return BUILTINS.get(key) ?? bank.account(key);
}

function builtinAccount(name: string): Account {
  return { lamports: 1n, data: new TextEncoder().encode(name), owner: NATIVE_LOADER, executable: true };
}
