import {
  type Address,
  type Commitment,
  createSolanaRpcFromTransport,
  getBase64Encoder,
  getI64Decoder,
  type ReadonlyUint8Array,
  type Rpc,
  type RpcTransport,
  type Signature,
  type SolanaRpcApiMainnet,
} from '@solana/kit';
import type { SolanaNetwork } from '../../network/networks.ts';
import type { Identity, JsonRpc, RpcAnswer } from '../json-rpc.ts';
import type { RpcCall } from '../json-rpc-batch.ts';
import { RpcFault } from '../port.ts';

/** Holds the slot, the epoch's start, the epoch, the next one, and the time, each in 8 bytes. */
export const CLOCK_SYSVAR = 'SysvarC1ock11111111111111111111111111111111' as Address;
const CLOCK = [CLOCK_SYSVAR, { commitment: 'confirmed', encoding: 'base64' }];

/** What tells the cluster from others. */
export const identityOf = ({ genesisHash }: SolanaNetwork): Identity => ({
  call: { method: 'getGenesisHash', params: [] },
  is: (result) => result === genesisHash,
  newest: {
    call: { method: 'getAccountInfo', params: CLOCK, needed: true },
    timeOf: (result) => timeOf(accountOf((result as { value: WireAccount | null }).value)),
  },
});

/** The reads of Solana's JSON-RPC API. Calls that are made in the same turn travel in one HTTP request. */
export type SolanaRpc = Rpc<SolanaRpcApiMainnet>;

export function solanaRpc(send: JsonRpc): SolanaRpc {
  return createSolanaRpcFromTransport(batchInTurn(send));
}

interface Waiting {
  readonly call: RpcCall;
  resolve(answer: RpcAnswer): void;
  reject(fault: unknown): void;
}

function batchInTurn(send: JsonRpc): RpcTransport {
  let waiting: Waiting[] = [];
  async function flush(): Promise<void> {
    const batch = waiting;
    waiting = [];
    try {
      const answers = await send(batch.map(({ call }) => call));
      for (const [index, { resolve }] of batch.entries()) resolve(answers[index] as RpcAnswer);
    } catch (fault) {
      for (const { reject } of batch) reject(fault);
    }
  }
  return async <Response>({ payload }: { payload: unknown }) => {
    const { method, params } = payload as RpcCall;
    const answer = await new Promise<RpcAnswer>((resolve, reject) => {
      if (waiting.length === 0) queueMicrotask(flush);
      waiting.push({ call: { method, params, needed: true }, resolve, reject });
    });
    if ('error' in answer) throw new RpcFault(`${method} failed: ${answer.error.message}`);
    return answer as Response;
  };
}

/** The most that one call takes (Agave's limits). */
const ACCOUNTS_PER_CALL = 100;
const SIGNATURES_PER_CALL = 256;

export interface Account {
  readonly owner: Address;
  readonly lamports: bigint;
  /** Whether it is a program. */
  readonly executable: boolean;
  readonly data: ReadonlyUint8Array;
}

/** The accounts at these addresses, in order, undefined where there is none; and the slot that shows them all. */
export async function readAccounts(
  rpc: SolanaRpc,
  addresses: readonly Address[],
  commitment: Commitment,
): Promise<{ slot: number; accounts: (Account | undefined)[] }> {
  const answers = await Promise.all(
    chunks(addresses, ACCOUNTS_PER_CALL).map((some) =>
      rpc.getMultipleAccounts(some, { commitment, encoding: 'base64' }).send(),
    ),
  );
  return {
    slot: lowest(answers.map(({ context }) => Number(context.slot))),
    accounts: answers.flatMap(({ value }) => value.map(accountOf)),
  };
}

/** An account with its data in base64. */
type WireAccount = Omit<Account, 'data'> & { readonly data: readonly [text: string, encoding: string] };

function accountOf(account: WireAccount | null): Account | undefined {
  if (account === null) return undefined;
  const { owner, lamports, executable, data } = account;
  return { owner, lamports, executable, data: getBase64Encoder().encode(data[0]) };
}

/** The chain's own clock, in Unix seconds, from the account of the sysvar; throws RpcFault when there is none. */
export function timeOf(clock: Account | undefined): number {
  if (clock === undefined) throw new RpcFault('the endpoint has no clock');
  return Number(getI64Decoder().decode(clock.data, 32));
}

type Statuses = ReturnType<ReturnType<SolanaRpc['getSignatureStatuses']>['send']>;
export type Status = NonNullable<Awaited<Statuses>['value'][number]>;

/**
 * What the node knows of these transactions, in order, and the slot it has come to. Without the history it knows those
 * of about the last minute.
 */
export async function readStatuses(
  rpc: SolanaRpc,
  identifiers: readonly string[],
  searchTransactionHistory: boolean,
): Promise<{ slot: number; statuses: (Status | undefined)[] }> {
  const answers = await Promise.all(
    chunks(identifiers as readonly Signature[], SIGNATURES_PER_CALL).map((some) =>
      rpc.getSignatureStatuses(some, { searchTransactionHistory }).send(),
    ),
  );
  return {
    slot: lowest(answers.map(({ context }) => Number(context.slot))),
    statuses: answers.flatMap(({ value }) => value.map((status) => status ?? undefined)),
  };
}

/** 0 where nothing was asked. */
function lowest(slots: readonly number[]): number {
  return slots.length === 0 ? 0 : Math.min(...slots);
}

function chunks<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  );
}
