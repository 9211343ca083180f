import type { Address } from '@solana/kit';
import type { JsonRpc } from '../json-rpc.ts';
import type { RpcCall } from '../json-rpc-batch.ts';
import { pairUp, RpcFault } from '../port.ts';
import { describeError, type RpcAnswer } from '../rpc-answer.ts';
import type {
  Resolution,
  ResolvedChange,
  TokenChange,
  TokenOwner,
  TransactionChange,
  UnreadTransaction,
  UnresolvedChange,
} from '../watch-port.ts';
import { type ChangesInTransaction, changesIn, readHolder } from './changes-in-transaction.ts';
import { readToken } from './gateway.ts';
import { ifAnswered, readAccounts, readStatuses, solanaRpc } from './rpc.ts';
import { TRANSACTION_FORM, type WireTransaction } from './wire-transaction.ts';

/** Finds the tokens that transactions changed, from one endpoint. */

/**
 * Maximum number of burned tokens whose owner one resolution looks up. A stranger can burn 25 tokens of an own gatekeeper network in
 * each transaction.
 */
export const LOOKUPS_MAX = 20;
/** Maximum number of signatures that a lookup lists. Anybody may send transactions that name the address of a token. */
const SIGNATURES_PER_LOOKUP = 100;
/** Maximum number of transactions that a lookup reads: the oldest ones of those listed. */
const TRANSACTIONS_PER_LOOKUP = 10;

/** The number of lookups that are left to a resolution. All endpoints share it. */
interface Lookups {
  left: number;
}

/** Reads the transactions, and the tokens as they are now. Throws RpcFault if the endpoint is behind. */
export async function resolveWith(
  send: JsonRpc,
  program: Address,
  asked: readonly UnresolvedChange[],
  lookups: Lookups = { left: LOOKUPS_MAX },
): Promise<Resolution> {
  const head = Number(await solanaRpc(send).getSlot({ commitment: 'confirmed' }).send());
  demandSlot(head, asked);
  const transactions = asked.filter((each) => each.type === 'transaction');
  const found = await readTransactions(
    send,
    program,
    transactions.map(({ transaction }) => transaction),
  );
  const { absent, listed } = await sortMissing(
    send,
    transactions.filter(({ transaction }) => !found.has(transaction)),
  );
  const unread = [
    ...listed,
    ...transactions.flatMap((change): UnreadTransaction[] => {
      const why = found.get(change.transaction)?.unread;
      return why === undefined ? [] : [{ change, why }];
    }),
  ];
  const changes = asked.flatMap((each): readonly TokenChange[] => {
    if (each.type === 'token') return [each];
    return (found.get(each.transaction)?.changes ?? []).map((change) => ({ ...each, ...change, type: 'token' }));
  });
  if (changes.length === 0) return { resolved: [], unresolved: absent, unread };
  const tokens = [...new Set(changes.map(({ token }) => token as Address))];
  const { slot, accounts } = await readAccounts(solanaRpc(send), tokens, 'confirmed');
  demandSlot(slot, asked);
  const holders = new Map<string, TokenOwner>([
    ...changes.flatMap(({ token, holder }) => (holder ? [[token, holder] as const] : [])),
    ...ownersIn(accounts),
  ]);
  const burned = tokens.filter((token) => !holders.has(token));
  for (const [token, holder] of await findOwners(send, program, burned, lookups)) holders.set(token, holder);
  const resolved = changes.flatMap((change): ResolvedChange[] => {
    const holder = holders.get(change.token);
    if (holder === undefined) return [];
    const account = accounts.get(change.token as Address);
    const token = account?.owner === program ? readToken(account.data) : undefined;
    return [{ ...change, holder, state: token?.state ?? 'NONE', expiry: token?.expiry }];
  });
  return { resolved, unresolved: [...absent, ...changes.filter(({ token }) => !holders.has(token))], unread };
}

/** Throws RpcFault if the slot is older than a change. */
function demandSlot(slot: number, changes: readonly UnresolvedChange[]): void {
  if (changes.some(({ at }) => at > slot)) throw new RpcFault('the node is behind the changes');
}

const ownersIn = (accounts: Awaited<ReturnType<typeof readAccounts>>['accounts']) =>
  [...accounts].flatMap(([token, { data }]): [Address, TokenOwner][] => {
    const holder = readHolder(data);
    return holder ? [[token, holder]] : [];
  });

/** Sorts the transactions that a node shows as null: those that its history lacks too, and those that it has. */
async function sortMissing(
  send: JsonRpc,
  missing: readonly TransactionChange[],
): Promise<{ readonly absent: TransactionChange[]; readonly listed: readonly UnreadTransaction[] }> {
  if (missing.length === 0) return { absent: [], listed: [] };
  const identifiers = missing.map(({ transaction }) => transaction);
  const history = await ifAnswered(readStatuses(solanaRpc(send), identifiers, true));
  const isAbsent = ({ transaction }: TransactionChange) => history?.statuses.has(transaction) === false;
  return {
    absent: missing.filter(isAbsent),
    listed: missing
      .filter((change) => !isAbsent(change))
      .map((change) => ({ change, why: 'getTransaction shows nothing, although the chain may have it' })),
  };
}

/** Reads the changes in transactions. The map lacks the transactions that the node shows as null. */
async function readTransactions(
  send: JsonRpc,
  program: Address,
  signatures: readonly string[],
): Promise<ReadonlyMap<string, ChangesInTransaction>> {
  const asked = [...new Set(signatures)];
  const form = { commitment: 'confirmed', ...TRANSACTION_FORM };
  const calls = asked.map((signature): RpcCall => ({ method: 'getTransaction', params: [signature, form] }));
  return new Map(
    pairUp(asked, await send(calls)).flatMap(([signature, answer]) => {
      const changes = changesOf(answer, program);
      return changes ? [[signature, changes] as const] : [];
    }),
  );
}

/** Returns undefined for null. One bad answer does not affect the others: no error says that there is no such transaction. */
function changesOf(answer: RpcAnswer, program: string): ChangesInTransaction | undefined {
  if ('error' in answer) return { changes: [], unread: describeError(answer.error) };
  if (answer.result === null) return undefined;
  try {
    return changesIn(answer.result as WireTransaction, program);
  } catch {
    return { changes: [], unread: 'getTransaction shows it in an unknown form' };
  }
}

/**
 * Finds the owners of burned tokens, whose accounts are closed, one after another. It begins with any of them: otherwise, tokens that
 * nothing resolves would keep the others out forever.
 */
async function findOwners(
  send: JsonRpc,
  program: Address,
  tokens: readonly Address[],
  lookups: Lookups,
): Promise<ReadonlyMap<Address, TokenOwner>> {
  const owners = new Map<Address, TokenOwner>();
  const first = Math.floor(Math.random() * tokens.length);
  for (const token of [...tokens.slice(first), ...tokens.slice(0, first)].slice(0, lookups.left)) {
    lookups.left -= 1;
    try {
      const owner = await findOwner(send, program, token);
      if (owner !== undefined) owners.set(token, owner);
    } catch (fault) {
      // The endpoint has already shown the other changes.
      if (fault instanceof RpcFault) break;
      throw fault;
    }
  }
  return owners;
}

/** Every issuance at the address names the same owner, because the address derives from it. */
async function findOwner(send: JsonRpc, program: Address, token: Address): Promise<TokenOwner | undefined> {
  const page = await solanaRpc(send)
    .getSignaturesForAddress(token, { commitment: 'confirmed', limit: SIGNATURES_PER_LOOKUP })
    .send();
  const oldest = page.filter(({ err }) => err === null).slice(-TRANSACTIONS_PER_LOOKUP);
  const found = await readTransactions(send, program, oldest.map(({ signature }) => signature).toReversed());
  const changes = [...found.values()].flatMap((each) => each.changes);
  return changes.find((change) => change.token === token && change.holder !== undefined)?.holder;
}
