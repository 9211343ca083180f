import { base58, base64 } from '@scure/base';
import { type Lie, type LiedCall, say } from './lie.ts';

/** An account in the form of the JSON-RPC API. */
export interface ShownAccount {
  readonly data: readonly [text: string, encoding: string];
  readonly owner: string;
  readonly lamports: number;
  readonly executable: boolean;
}

/** The facts that a liar on Solana uses. */
export interface SolanaScene {
  readonly program: string;
  /** The first address at which the wallet may have a token. */
  readonly tokenAddress: string;
  /** The token of another wallet in the same gatekeeper network. */
  readonly neighborToken: ShownAccount;
}

type SolanaLie = Lie<SolanaScene>;

/** Returns a lie that changes fields in the answers to one method. */
const about = (
  name: string,
  method: string,
  change: (truth: Record<string, unknown>, call: LiedCall, scene: SolanaScene) => unknown,
): SolanaLie => ({
  name,
  answer: (call, truth, scene) =>
    call.method === method && truth !== undefined
      ? say(change(truth as Record<string, unknown>, call, scene))
      : undefined,
});

const together = (name: string, ...lies: readonly SolanaLie[]): SolanaLie => ({
  name,
  ask: (call) => lies.reduce((asked, lie) => lie.ask?.(asked) ?? asked, call),
  answer: (call, truth, scene) => lies.map((lie) => lie.answer?.(call, truth, scene)).find((said) => said),
});

interface ShownStatus {
  readonly confirmationStatus: string;
}

const statusesShown = (name: string, change: (status: ShownStatus | null, slot: number) => unknown): SolanaLie =>
  about(name, 'getSignatureStatuses', (truth) => {
    const { context, value } = truth as { context: { slot: number }; value: (ShownStatus | null)[] };
    return { context, value: value.map((status) => change(status, context.slot - 1)) };
  });

const finalStatus = (slot: number, err: unknown) => ({
  slot,
  err,
  confirmations: null,
  confirmationStatus: 'finalized',
  status: err === null ? { Ok: null } : { Err: err },
});

const accountsShown = (
  name: string,
  change: (account: ShownAccount | null, address: string, scene: SolanaScene) => ShownAccount | null,
): SolanaLie =>
  about(name, 'getMultipleAccounts', ({ context, value }, { params: [addresses] }, scene) => ({
    context,
    value: (value as (ShownAccount | null)[]).map((account, index) =>
      change(account, (addresses as string[])[index] ?? '', scene),
    ),
  }));

/** Whether the account holds a token. The program's other accounts, those of gatekeepers, are empty on the localnet. */
const isToken = (account: ShownAccount | null, program: string): account is ShownAccount =>
  account?.owner === program && account.data[0].length > 100;

const tokensShown = (name: string, change: (data: Uint8Array<ArrayBuffer>) => void): SolanaLie =>
  accountsShown(name, (account, _, { program }) => {
    if (!isToken(account, program) || account.executable) return account;
    const data = new Uint8Array(base64.decode(account.data[0]));
    change(data);
    return { ...account, data: [base64.encode(data), 'base64'] };
  });

const stateShown = (name: string, state: number): SolanaLie =>
  tokensShown(name, (data) => data.fill(state, stateOffset(data), stateOffset(data) + 1));

/** Returns a lie that moves the expiry, an optional number after the state. */
const expiryShown = (name: string, seconds: number): SolanaLie =>
  tokensShown(name, (data) => {
    const view = new DataView(data.buffer);
    const at = stateOffset(data) + 2;
    view.setBigInt64(at, view.getBigInt64(at, true) + BigInt(seconds), true);
  });

/** Returns the offset of the state in a token's account: after the version and five keys, two of which are optional. */
function stateOffset(data: Uint8Array): number {
  const afterOption = (at: number) => at + 1 + (data[at] === 0 ? 0 : 32);
  return afterOption(afterOption(1) + 32) + 64;
}

const SYSTEM_PROGRAM = '11111111111111111111111111111111';
const OCCUPIED: ShownAccount = { data: ['', 'base64'], owner: SYSTEM_PROGRAM, lamports: 1_000_000, executable: false };
const CLOCK = 'SysvarC1ock11111111111111111111111111111111';

/** Returns a lie that moves the clock sysvar by this number of seconds. */
const clockShown = (name: string, seconds: number): SolanaLie => {
  const move = (account: ShownAccount): ShownAccount => {
    const data = base64.decode(account.data[0]);
    const view = new DataView(data.buffer, data.byteOffset);
    view.setBigInt64(32, view.getBigInt64(32, true) + BigInt(seconds), true);
    return { ...account, data: [base64.encode(data), 'base64'] };
  };
  return together(
    name,
    accountsShown(name, (account, address) => (account && address === CLOCK ? move(account) : account)),
    about(name, 'getAccountInfo', ({ context, value }, { params: [address] }) => ({
      context,
      value: value && address === CLOCK ? move(value as ShownAccount) : value,
    })),
  );
};

const heightShown = (name: string, blocks: number): SolanaLie =>
  about(name, 'getEpochInfo', (truth) => ({ ...truth, blockHeight: atLeastZero(truth.blockHeight, blocks) }));

/** The block height that this endpoint reports, so that its blockhashes never expire. */
const ENDLESS = 1_000_000_000_000_000;
const lifetimeEndless = together(
  'lifetime: without end',
  about('', 'getLatestBlockhash', (truth) => ({
    ...truth,
    value: { ...(truth.value as object), lastValidBlockHeight: ENDLESS + 150 },
  })),
  about('', 'getEpochInfo', (truth) => ({ ...truth, blockHeight: ENDLESS })),
);

const endShown = (name: string, change: (end: number) => number) =>
  about(name, 'getLatestBlockhash', (truth) => {
    const value = truth.value as { blockhash: string; lastValidBlockHeight: number };
    return { ...truth, value: { ...value, lastValidBlockHeight: change(value.lastValidBlockHeight) } };
  });

const blockhashOfAnother = about('blockhash: of another chain', 'getLatestBlockhash', (truth) => ({
  ...truth,
  value: { ...(truth.value as object), blockhash: base58.encode(new Uint8Array(32).fill(9)) },
}));
const blockhashesUnknown = about('', 'isBlockhashValid', ({ context }) => ({ context, value: false }));

const slotsShown = (name: string, slots: number): SolanaLie => ({
  name,
  answer({ method }, truth) {
    if (method === 'getEpochInfo') {
      const info = truth as Record<string, unknown>;
      return say({ ...info, absoluteSlot: atLeastZero(info.absoluteSlot, slots) });
    }
    const { context } = Object(truth) as { context?: { slot: number } };
    if (context === undefined) return undefined;
    return say({ ...(truth as object), context: { ...context, slot: atLeastZero(context.slot, slots) } });
  },
});

const atLeastZero = (value: unknown, more: number) => Math.max(0, Number(value) + more);

const commitmentAsked = (from: string, to: string): Pick<SolanaLie, 'ask'> => ({
  ask: (call) => ({
    ...call,
    params: call.params.map((parameter) =>
      (Object(parameter) as { commitment?: string }).commitment === from
        ? { ...(parameter as object), commitment: to }
        : parameter,
    ),
  }),
});

const finalityAhead: SolanaLie = {
  ...statusesShown('finality: ahead', (status) => status && { ...status, confirmationStatus: 'finalized' }),
  ...commitmentAsked('finalized', 'confirmed'),
};
const finalityBehind = together(
  'finality: behind',
  statusesShown('', (status) =>
    status?.confirmationStatus === 'finalized' ? { ...status, confirmationStatus: 'confirmed' } : status,
  ),
  about('', 'getEpochInfo', (truth) => ({ ...truth, absoluteSlot: 1, blockHeight: 1 })),
);

const simulationsShown = (name: string, said: object): SolanaLie =>
  about(name, 'simulateTransaction', (truth) => ({ ...truth, value: { ...(truth.value as object), ...said } }));

const programFails = (number: number) => ({
  err: { InstructionError: [2, { Custom: number }] },
  logs: ['Program log: refused'],
});

const TIMES = 1000;
const DAY = 86_400;
/** Counts the answers of the endpoint whose rent falls with each of them. */
let rentReads = 0;

export const SOLANA_LIES: readonly SolanaLie[] = [
  statusesShown('statuses: none', () => null),
  statusesShown('statuses: success', (_, slot) => finalStatus(slot, null)),
  statusesShown('statuses: failure', (_, slot) => finalStatus(slot, { InstructionError: [2, { Custom: 5 }] })),
  accountsShown('tokens: none', (account, _, { program }) =>
    isToken(account, program) && !account.executable ? null : account,
  ),
  accountsShown('tokens: accounts of others', (account, _, { program }) =>
    isToken(account, program) && !account.executable ? OCCUPIED : account,
  ),
  {
    ...accountsShown('tokens: the first address is occupied', (account, address, { tokenAddress }) =>
      address === tokenAddress ? OCCUPIED : account,
    ),
    needsPass: true,
  },
  {
    ...accountsShown("tokens: another wallet's", (account, address, { tokenAddress, neighborToken }) =>
      address === tokenAddress ? neighborToken : account,
    ),
    needsPass: true,
  },
  about('tokens: malformed', 'getMultipleAccounts', ({ context }) => ({ context, value: null })),
  expiryShown('tokens: another expiry', DAY),
  stateShown('tokens: active', 0),
  stateShown('tokens: frozen', 1),
  stateShown('tokens: revoked', 2),
  heightShown('height: ahead', 1000),
  heightShown('height: behind', -1000),
  lifetimeEndless,
  endShown('lifetime: too short', (end) => end - 145),
  endShown('lifetime: long past', () => 1),
  blockhashOfAnother,
  together('blockhash: of another chain, and all others are unknown', blockhashOfAnother, blockhashesUnknown),
  { ...blockhashesUnknown, name: 'blockhash: all others are unknown' },
  slotsShown('slots: ahead', 1000),
  slotsShown('slots: behind', -1000),
  finalityAhead,
  finalityBehind,
  clockShown('clock: slow', -DAY),
  clockShown('clock: fast', DAY),
  about('fees: too high', 'getRecentPrioritizationFees', () => [{ slot: 1, prioritizationFee: 1_000_000_000 }]),
  {
    name: 'rent: negative',
    answer: ({ method }) => (method === 'getMinimumBalanceForRentExemption' ? say(-1_000_000_000_000) : undefined),
  },
  {
    name: 'rent: too high',
    answer: ({ method }, truth) =>
      method === 'getMinimumBalanceForRentExemption' ? say(Number(truth) * TIMES) : undefined,
  },
  {
    name: 'rent: falling',
    answer: ({ method }, truth) =>
      method === 'getMinimumBalanceForRentExemption' ? say(Math.floor(Number(truth) / 2 ** ++rentReads)) : undefined,
  },
  simulationsShown('simulations: the token has another state', programFails(5)),
  simulationsShown('simulations: never possible', programFails(7)),
  simulationsShown('simulations: success', { err: null, unitsConsumed: 9_000, logs: [] }),
  simulationsShown('simulations: many units', { unitsConsumed: 190_000 }),
  simulationsShown('simulations: negative units', { unitsConsumed: -1_000_000_000 }),
  { name: 'sends: swallowed', swallowsSends: true },
  {
    name: 'sends: refused',
    swallowsSends: true,
    answer: ({ method }) =>
      method === 'sendTransaction'
        ? { error: { code: -32_002, message: 'Transaction simulation failed', data: { err: 'BlockhashNotFound' } } }
        : undefined,
  },
];
