import { MINUTE_MS, type Milliseconds, SECOND_MS, type UnixSeconds } from '../lib/units.ts';
import type { Chain } from '../network/network.ts';
import type { SandboxCase } from '../network/sandbox.ts';
import type { Wallet } from '../network/wallet.ts';
import type { Cause } from '../pass/pass.ts';
import type { UpdateRequest } from '../pass/requests.ts';
import type { StepKind } from '../pass/step-kinds.ts';
import type { WaitCode } from '../pass/wait-reasons.ts';
import type { Operation } from './tokens.ts';

/** The events of a sandbox that have a time. They are rows, so that a restart loses none. */

/** A change by others. The next question to the chain makes it happen, or the alarm. */
export interface ChainEvent {
  readonly kind: Operation['kind'];
  readonly expiry?: UnixSeconds | undefined;
}

/**
 * A pass looks at the chain, because others have changed its wallet, or because its issuance leaves the chain. Or it gets the requests of
 * its partner that lead to a triggered event. Only the alarm has it do this.
 */
export type Visit = (
  | {
      /** The oldest final block that shows the change. */
      readonly since: number;
      readonly causes: readonly Cause[];
    }
  | { readonly reorg: Reorg }
  | { readonly requests: Requests }
) & {
  /** The time of the first visit (ms); undefined: there was none. The clock of the sandbox does not count. */
  readonly began?: Milliseconds | undefined;
};

/**
 * A reorg that a pass records, however slow it is and however far the clock moves: the issuance leaves the chain when the pass has recorded
 * it, and comes back when the pass has recorded that it left.
 */
export interface Reorg {
  /** The blocks from here on leave the chain, as far as they concern the wallet. */
  readonly from: number;
  readonly fate: NonNullable<Script['reorg']>;
  readonly isOut: boolean;
}

/** Changes of a pass, one after the other: each one waits until the pass has settled. */
export interface Requests {
  readonly changes: readonly UpdateRequest[];
  /** The partner's number of changes per day; undefined: no quota. */
  readonly quota?: { readonly clientId: string; readonly daily: number } | undefined;
}

export interface Scheduled<Body> {
  readonly seq: number;
  readonly network: string;
  readonly wallet: Wallet;
  readonly block: number;
  readonly body: Body;
}

type Place = Pick<Scheduled<unknown>, 'network' | 'wallet' | 'block'>;

/** A network with its chain, because several chains may have a network of the same name. */
export const networkId = (chain: Chain, network: string): string => `${chain}/${network}`;

export function networkOf(id: string): { chain: Chain; network: string } {
  const [chain, network] = id.split('/') as [Chain, string];
  return { chain, network };
}

export function addChainEvent(sql: SqlStorage, place: Place, event: ChainEvent): void {
  add(sql, place, 1, event);
}

export function addVisit(sql: SqlStorage, place: Place, visit: Visit): void {
  add(sql, place, 0, visit);
}

function add(sql: SqlStorage, { network, wallet, block }: Place, isOnChain: 0 | 1, body: ChainEvent | Visit): void {
  const query = 'INSERT INTO event (network, wallet, block, is_on_chain, body) VALUES (?, ?, ?, ?, ?)';
  sql.exec(query, network, wallet, block, isOnChain, JSON.stringify(body));
}

/** Returns the events of a network up to a block, in their order. */
export function dueChainEvents(sql: SqlStorage, network: string, block: number): Scheduled<ChainEvent>[] {
  const query = `SELECT seq, network, wallet, block, body FROM event
    WHERE is_on_chain = 1 AND network = ? AND block <= ? ORDER BY block, seq`;
  return sql
    .exec<EventRow>(query, network, block)
    .toArray()
    .map(parse<ChainEvent>);
}

export function dueVisits(sql: SqlStorage, block: number, limit: number): Scheduled<Visit>[] {
  const query = `SELECT seq, network, wallet, block, body FROM event
    WHERE is_on_chain = 0 AND block <= ? ORDER BY block, seq LIMIT ?`;
  return sql
    .exec<EventRow>(query, block, limit)
    .toArray()
    .map(parse<Visit>);
}

/** Returns the networks that have an event up to a block. */
export function networksWithEvents(sql: SqlStorage, block: number): string[] {
  const query = 'SELECT DISTINCT network FROM event WHERE is_on_chain = 1 AND block <= ?';
  return sql
    .exec<{ network: string }>(query, block)
    .toArray()
    .map(({ network }) => network);
}

/** Returns the block of the next event; undefined: there is none. */
export function nextEventAt(sql: SqlStorage): number | undefined {
  return sql.exec<{ block: number | null }>('SELECT min(block) AS block FROM event').one().block ?? undefined;
}

export function deleteEvent(sql: SqlStorage, seq: number): void {
  sql.exec('DELETE FROM event WHERE seq = ?', seq);
}

export function postponeVisit(sql: SqlStorage, { seq, body }: Scheduled<Visit>, block: number): void {
  sql.exec('UPDATE event SET block = ?, body = ? WHERE seq = ?', block, JSON.stringify(body), seq);
}

export function deleteEvents(sql: SqlStorage, network: string, wallet: string): void {
  sql.exec('DELETE FROM event WHERE network = ? AND wallet = ?', network, wallet);
}

/** Deletes the changes of a wallet that have not happened, because the issuance before them has left the chain. */
export function deleteChanges(sql: SqlStorage, network: string, wallet: string): void {
  sql.exec('DELETE FROM event WHERE is_on_chain = 1 AND network = ? AND wallet = ?', network, wallet);
}

interface EventRow extends Record<string, SqlStorageValue> {
  readonly seq: number;
  readonly network: string;
  readonly wallet: string;
  readonly block: number;
  readonly body: string;
}

const parse = <Body>({ body, wallet, ...row }: EventRow): Scheduled<Body> => ({
  ...(row as Pick<EventRow, 'seq' | 'network' | 'block'>),
  wallet: wallet as Wallet,
  body: JSON.parse(body),
});

/** A change by others that follows an issuance. */
export interface LaterChange {
  /** Time from the issuance until the change. */
  readonly afterMs: Milliseconds;
  readonly kind: StepKind | 'burn';
  /** Time from the issuance until the new expiry, for `set-expiry`. */
  readonly expiresAfterMs?: Milliseconds | undefined;
}

/** How the simulated chain treats a wallet. An empty script treats it as any other one. */
export interface Script {
  /** The steps that the contract refuses permanently. */
  readonly refuses?: 'issue' | 'change' | 'everything' | undefined;
  /** Why a step of the wallet waits, for as long as it has this script. Steps of other wallets do not wait. */
  readonly waits?: Extract<WaitCode, 'no-funds' | 'nodes-unanswered'> | undefined;
  /** Time that passes in addition until a block confirms a transaction. */
  readonly delayMs?: Milliseconds | undefined;
  /** The issuance leaves the chain once after its confirmation. Then it comes back, or it is dropped and its nonce used. */
  readonly reorg?: 'again' | 'dropped' | undefined;
  /** The wallet has a token of others from the beginning. */
  readonly holdsToken?: true | undefined;
  readonly afterIssuance?: readonly LaterChange[] | undefined;
}

/** The scripts of the deterministic wallets. The request path answers for the last two before any chain is asked. */
export const SCRIPTS: Readonly<Record<SandboxCase, Script>> = {
  'takes-a-minute': { delayMs: MINUTE_MS },
  rejected: { refuses: 'issue' },
  reorged: { reorg: 'again' },
  'reorged-and-dropped': { reorg: 'dropped' },
  'never-funded': { waits: 'no-funds' },
  'node-away': { waits: 'nodes-unanswered' },
  // The request path gives these two their lifetimes.
  expires: {},
  announced: {},
  revoked: { afterIssuance: [{ afterMs: 30 * SECOND_MS, kind: 'revoke' }] },
  frozen: { afterIssuance: [{ afterMs: 30 * SECOND_MS, kind: 'freeze' }] },
  adopted: { holdsToken: true },
  'quota-exceeded': {},
  'rate-limited': {},
};
