import {
  type Address,
  type Commitment,
  getBase64Encoder,
  getI64Decoder,
  type ReadonlyUint8Array,
  type Rpc,
  type Signature,
  type SolanaRpcApiMainnet,
} from '@solana/kit';
import type { EnabledSolana } from '../../config/signers.ts';
import type { SolanaNetwork } from '../../network/network.ts';
import type { NewestBlock } from '../block-age.ts';
import { type Identity, type JsonRpc, MalformedResult } from '../json-rpc.ts';
import type { RpcCall } from '../json-rpc-batch.ts';
import { pairUp, RpcFault } from '../port.ts';
import type { RpcAnswer } from '../rpc-answer.ts';
import type { SigningKey } from '../signing/signing-key.ts';
import type { Lamports } from '../units.ts';
import { CALLS, SOLANA_ERRORS } from './node-answers.ts';

/** The account with the slot, the epoch's start, the epoch, the next epoch and the time, each in 8 bytes. */
export const CLOCK_SYSVAR = 'SysvarC1ock11111111111111111111111111111111' as Address;
const SYSVAR_OWNER = 'Sysvar1111111111111111111111111111111111111' as Address;
const CLOCK = [CLOCK_SYSVAR, { commitment: 'confirmed', encoding: 'base64' }];

/** Returns the calls that identify the cluster and read its clock. */
export const identityOf = ({ network, genesisHash }: SolanaNetwork): Identity => ({
  network,
  errors: SOLANA_ERRORS,
  normalize,
  call: { method: 'getGenesisHash', params: [] },
  isOurChain: (result) => result === genesisHash,
  newest: {
    call: { method: 'getAccountInfo', params: CLOCK, needed: true },
    blockOf: (result) => readClock((result as { value: WireAccount | null }).value),
  },
});

/** No node answered a call, but nodes answered the other calls of the batch. */
export class RefusedCall extends RpcFault {}

/** Returns the result. Throws MalformedResult if it lacks a field that the service reads. */
function normalize({ method, params }: RpcCall, result: unknown): unknown {
  const isResult = Object.hasOwn(CALLS, method) ? CALLS[method]?.isResult : undefined;
  if (!(isResult === undefined ? (result ?? null) !== null : isResult(result, params)))
    throw new MalformedResult('result');
  return result;
}

/** Returns the result of a call that has a replacement; undefined: no endpoint answers it. */
export async function ifAnswered<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (fault) {
    if (fault instanceof RefusedCall) return undefined;
    throw fault;
  }
}

/**
 * The methods of Solana's JSON-RPC API, with the types of kit. Calls of the same turn of the event loop share one HTTP request. All
 * whole numbers of a result are bigint. A method without a commitment gets the node's own default, the final chain.
 */
export type SolanaRpc = Rpc<SolanaRpcApiMainnet>;

/** kit's own client would add 5 kB to the bundle, for checks that `normalize` and the adapter make. */
export function solanaRpc(send: JsonRpc): SolanaRpc {
  const ask = batchInTurn(send);
  return new Proxy({} as SolanaRpc, {
    get:
      (_, method) =>
      (...params: readonly unknown[]) => ({ send: () => ask(String(method), params.flatMap(wireForm)) }),
  });
}

/** Returns a parameter as nodes expect it, or nothing if it only states their default. No number among them is above 2^53. */
function wireForm(value: unknown): readonly unknown[] {
  if (typeof value === 'bigint') return [Number(value)];
  if (typeof value !== 'object' || value === null || !('commitment' in value)) return [value];
  const { commitment, ...others } = value;
  if (commitment !== 'finalized') return [value];
  return Object.keys(others).length === 0 ? [] : [others];
}

/** Returns the value with all its whole numbers as bigint. */
function withBigInts(value: unknown): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(withBigInts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withBigInts(each)]));
}

interface Waiting {
  readonly call: RpcCall;
  resolve(answer: RpcAnswer): void;
  reject(fault: unknown): void;
}

function batchInTurn(send: JsonRpc): (method: string, params: readonly unknown[]) => Promise<unknown> {
  let waiting: Waiting[] = [];
  async function flush(): Promise<void> {
    const batch = waiting;
    waiting = [];
    try {
      const answers = await send(batch.map(({ call }) => call));
      for (const [{ resolve }, answer] of pairUp(batch, answers)) resolve(answer);
    } catch (fault) {
      for (const { reject } of batch) reject(fault);
    }
  }
  return async (method, params) => {
    const answer = await new Promise<RpcAnswer>((resolve, reject) => {
      if (waiting.length === 0) queueMicrotask(flush);
      waiting.push({ call: { method, params, needed: CALLS[method]?.isOptional !== true }, resolve, reject });
    });
    if ('error' in answer) throw new RefusedCall(`${method} failed: ${answer.error.message}`);
    return withBigInts(answer.result);
  };
}

/** Maximum items per call (Agave's limits). */
const ACCOUNTS_PER_CALL = 100;
const SIGNATURES_PER_CALL = 256;

export interface Account {
  readonly owner: Address;
  readonly lamports: Lamports;
  /** Whether it is a program. */
  readonly executable: boolean;
  readonly data: ReadonlyUint8Array;
}

/** Reads the accounts at these addresses, with the lowest slot that shows them. The map lacks addresses without an account. */
export async function readAccounts(
  rpc: SolanaRpc,
  addresses: readonly Address[],
  commitment: Commitment,
): Promise<{ slot: number; accounts: ReadonlyMap<Address, Account> }> {
  const { slot, found } = await readInChunks(addresses, ACCOUNTS_PER_CALL, (some) =>
    rpc.getMultipleAccounts(some, { commitment, encoding: 'base64' }).send(),
  );
  return { slot, accounts: new Map([...found].map(([address, account]) => [address, accountOf(account)])) };
}

/** An account with its data in base64. */
type WireAccount = Omit<Account, 'data'> & { readonly data: readonly [text: string, encoding: string] };

function accountOf(account: WireAccount): Account {
  const { owner, lamports, executable, data } = account;
  return { owner, lamports, executable, data: getBase64Encoder().encode(data[0]) };
}

/** Returns the newest block as the account of the chain's own clock shows it. Throws RpcFault if the account is missing. */
export function newestBlockOf(clock: Account | undefined): NewestBlock {
  // An endpoint that shows the clock with another owner would show tokens with other owners too.
  if (clock?.owner !== SYSVAR_OWNER) throw new RpcFault('getMultipleAccounts or getAccountInfo shows no clock');
  const [height, time] = [0, 32].map((offset) => Number(getI64Decoder().decode(clock.data, offset)));
  return { height: height ?? 0, time: time ?? 0 };
}

/** Returns the newest block from the account of the clock as a node returns it. */
export const readClock = (clock: WireAccount | null): NewestBlock =>
  newestBlockOf(clock === null ? undefined : accountOf(clock));

type Statuses = ReturnType<ReturnType<SolanaRpc['getSignatureStatuses']>['send']>;
export type Status = NonNullable<Awaited<Statuses>['value'][number]>;

/**
 * Reads the statuses of these transactions, with the node's newest slot. The map lacks transactions that the node does not know.
 * Without its history, a node knows the transactions of its newest 300 slots (Agave's status cache).
 */
export async function readStatuses(
  rpc: SolanaRpc,
  identifiers: readonly string[],
  searchTransactionHistory: boolean,
): Promise<{ slot: number; statuses: ReadonlyMap<string, Status> }> {
  const { slot, found } = await readInChunks(identifiers as readonly Signature[], SIGNATURES_PER_CALL, (some) =>
    rpc.getSignatureStatuses(some, { searchTransactionHistory }).send(),
  );
  return { slot, statuses: found };
}

interface Page<Value> {
  readonly context: { readonly slot: bigint };
  readonly value: readonly (Value | null)[];
}

/** Reads the values of these keys, a number of them per call. Returns the lowest slot, or 0, and the values that exist. */
async function readInChunks<Key, Value>(
  keys: readonly Key[],
  size: number,
  read: (some: readonly Key[]) => Promise<Page<Value>>,
): Promise<{ slot: number; found: Map<Key, Value> }> {
  const chunks = Array.from({ length: Math.ceil(keys.length / size) }, (_, index) =>
    keys.slice(index * size, (index + 1) * size),
  );
  const pages = await Promise.all(chunks.map(async (some) => ({ some, page: await read(some) })));
  const slots = pages.map(({ page }) => Number(page.context.slot));
  const pairs = pages.flatMap(({ some, page }) => pairUp(some, page.value));
  return {
    slot: slots.length === 0 ? 0 : Math.min(...slots),
    found: new Map(pairs.flatMap(([key, value]) => (value === null ? [] : [[key, value] as const]))),
  };
}

/** The context of the adapter's functions: one network and one gatekeeper key. */
export interface Solana {
  readonly send: JsonRpc;
  /** Whether the network has no other endpoint. */
  readonly isOnly: boolean;
  /** Typed reads over `send`. */
  readonly rpc: SolanaRpc;
  readonly network: EnabledSolana['network'];
  readonly program: Address;
  /** Signs, and pays fees and rent. */
  readonly gatekeeper: Address;
  readonly key: SigningKey;
}
