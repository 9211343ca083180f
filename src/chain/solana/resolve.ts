import type { Address, Signature } from '@solana/kit';
import type { JsonRpc } from '../json-rpc.ts';
import type { RpcCall } from '../json-rpc-batch.ts';
import { pairUp, RpcFault } from '../port.ts';
import { resultOf } from '../rpc-answer.ts';
import type { Holder, ResolvedChange, TransactionChange } from '../watch-port.ts';
import { changesIn, type InstructionChange, readHolder, type WireTransaction } from './changes-in-transaction.ts';
import { readToken } from './gateway.ts';
import { readAccounts, solanaRpc } from './rpc.ts';

/** Finds the tokens that transactions changed, from one endpoint. */

export interface Resolution {
  readonly changes: ResolvedChange[];
  /** Whether the endpoint showed every transaction and the owner of every token. */
  readonly isComplete: boolean;
}

/** Reads the transactions, and the tokens as they are now. Throws RpcFault if the endpoint is behind. */
export async function resolveWith(
  send: JsonRpc,
  program: Address,
  transactions: readonly TransactionChange[],
): Promise<Resolution> {
  const final = await solanaRpc(send).getSlot({ commitment: 'finalized' }).send();
  const found = await readTransactions(
    send,
    transactions.map(({ transaction }) => transaction),
  );
  // A final block may lack a transaction because its fork was dropped. Before that, the node may only be late.
  if (transactions.some(({ transaction, at }) => !found.has(transaction) && at > final))
    throw new RpcFault('the node does not know a transaction');
  const changes = transactions.flatMap(({ type: _, ...place }) =>
    changesOf(found.get(place.transaction), program).map((change) => ({ ...place, ...change })),
  );
  const hasAll = transactions.every(({ transaction }) => found.has(transaction));
  if (changes.length === 0) return { changes: [], isComplete: hasAll };
  const tokens = [...new Set(changes.map(({ token }) => token))];
  const { slot, accounts } = await readAccounts(solanaRpc(send), tokens, 'confirmed');
  if (changes.some(({ at }) => at > slot)) throw new RpcFault('the node is behind the changes');
  const holders = new Map([
    ...changes.flatMap(({ token, holder }) => (holder ? [[token, holder] as const] : [])),
    ...ownersIn(accounts),
  ]);
  const burned = tokens.filter((token) => !holders.has(token));
  for (const [token, holder] of await findOwners(send, program, burned)) holders.set(token, holder);
  const resolved = changes.flatMap((change): ResolvedChange[] => {
    const holder = holders.get(change.token);
    if (holder === undefined) return [];
    const account = accounts.get(change.token);
    const token = account?.owner === program ? readToken(account.data) : undefined;
    return [{ ...change, type: 'token', holder, state: token?.state ?? 'NONE', expiry: token?.expiry }];
  });
  const isComplete = hasAll && tokens.every((token) => holders.has(token));
  return { changes: resolved, isComplete };
}

const ownersIn = (accounts: Awaited<ReturnType<typeof readAccounts>>['accounts']) =>
  [...accounts].flatMap(([token, { data }]): [Address, Holder][] => {
    const holder = readHolder(data);
    return holder ? [[token, holder]] : [];
  });

/** Reads transactions. The map lacks those that the node does not know. */
async function readTransactions(
  send: JsonRpc,
  signatures: readonly string[],
): Promise<ReadonlyMap<string, WireTransaction>> {
  const asked = [...new Set(signatures)];
  const form = { commitment: 'confirmed', encoding: 'json', maxSupportedTransactionVersion: 0 };
  const calls = asked.map((signature): RpcCall => ({ method: 'getTransaction', params: [signature, form] }));
  const answers = pairUp(asked, await send(calls));
  return new Map(
    answers.flatMap(([signature, answer]) => {
      const transaction = resultOf<WireTransaction | null>(answer);
      return transaction === null ? [] : [[signature, transaction] as const];
    }),
  );
}

function changesOf(transaction: WireTransaction | undefined, program: string): InstructionChange[] {
  try {
    return transaction ? changesIn(transaction, program) : [];
  } catch {
    throw new RpcFault('a transaction cannot be read');
  }
}

/** Maximum number of a burned token's transactions that are read: half of them its first ones, half of them its last ones. */
const MAX_TRANSACTIONS_OF_TOKEN = 10;

/**
 * Finds the owners of burned tokens, whose accounts are closed. Every issuance at the address names the same owner, because the address
 * derives from it. Anybody may send transactions that name the address, so only some are read.
 */
async function findOwners(
  send: JsonRpc,
  program: Address,
  tokens: readonly Address[],
): Promise<ReadonlyMap<Address, Holder>> {
  if (tokens.length === 0) return new Map();
  const rpc = solanaRpc(send);
  const pages = await Promise.all(
    tokens.map((token) => rpc.getSignaturesForAddress(token, { commitment: 'confirmed' }).send()),
  );
  const signatures = pages.flatMap((page) => {
    const all = page.filter(({ err }) => err === null).map(({ signature }): Signature => signature);
    const half = MAX_TRANSACTIONS_OF_TOKEN / 2;
    return [...all.slice(0, half), ...all.slice(-half)];
  });
  const transactions = [...(await readTransactions(send, signatures)).values()];
  const issued = transactions.flatMap((transaction) => changesOf(transaction, program));
  return new Map(
    issued.flatMap(({ token, holder }) => (holder && tokens.includes(token) ? [[token, holder] as const] : [])),
  );
}
