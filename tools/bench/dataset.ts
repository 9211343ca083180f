import type { DatabaseSync } from 'node:sqlite';
import { v7 as uuidv7 } from 'uuid';
import { getAddress } from 'viem/utils';
import { PARTNERS } from '../localnet/oauth/partners.ts';
import type { Request } from './load.ts';

/** Passes after their issuance, the same for all compared services. */

/** The partner that has the passes, and another one with the same database. */
export const [PARTNER, NEIGHBOR] = PARTNERS as [(typeof PARTNERS)[number], (typeof PARTNERS)[number]];

export interface SeededPass {
  readonly id: string;
  readonly wallet: string;
  readonly transaction: string;
  /** When it was requested (Unix seconds). It was on chain a second later. */
  readonly at: number;
}

const NETWORK = { type: 'ethereum', network: 'sepolia' } as const;
const ROUTE = `/pass/${NETWORK.type}/${NETWORK.network}`;

/** Returns a generator of pseudo-random 32-bit numbers that are the same each time (xorshift32). */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}

const hex = (next: () => number, words: number) =>
  Array.from({ length: words }, () => next().toString(16).padStart(8, '0')).join('');

/** Returns an unused wallet in its canonical form. */
export const aWallet = (next: () => number) => getAddress(`0x${hex(next, 5)}`);

/** Returns `count` passes, oldest first, with a fixed distance in seconds, up to `until` (Unix seconds). */
export function* generatePasses(count: number, until: number, apart = 10): Generator<SeededPass> {
  const next = randomNumbers(count);
  for (let index = 0; index < count; index++) {
    const at = until - (count - index) * apart;
    const id = uuidv7({ msecs: at * 1000, random: Uint8Array.from({ length: 16 }, next), seq: index });
    yield { id, wallet: aWallet(next), transaction: `0x${hex(next, 8)}`, at };
  }
}

function eventsOf({ at, transaction: identifier }: SeededPass) {
  const transaction = { identifier, status: 'confirmed' };
  return [
    { eventType: 'TOKEN_ISSUED_INITIATED', timestamp: at, transaction },
    { eventType: 'TOKEN_ISSUED', timestamp: at + 1, transaction },
  ];
}

/** Writes the rows of the service's read model. */
export function seedService(
  db: DatabaseSync,
  all: Iterable<SeededPass>,
  gatekeeperNetwork: string = PARTNER.gatekeeperNetwork,
): void {
  seedRows(db, all, gatekeeperNetwork, { columns: ', on_chain_state', values: ", 'ACTIVE'" });
}

/** Writes the rows of the floor. It stores the validity in the record, because its passes never expire. */
export function seedFloor(db: DatabaseSync, all: Iterable<SeededPass>): void {
  seedRows(db, all, PARTNER.gatekeeperNetwork, { columns: '', values: '', valid: true });
}

function seedRows(
  db: DatabaseSync,
  all: Iterable<SeededPass>,
  gatekeeperNetwork: string,
  { columns, values, valid }: { readonly columns: string; readonly values: string; readonly valid?: boolean },
): void {
  const insert = db.prepare(
    `INSERT INTO passes (gatekeeper_network, wallet, chain, network, id, state, version, record${columns})
     VALUES (?, ?, ?, ?, ?, ?, ?, ?${values})`,
  );
  for (const pass of all) {
    const { id, wallet } = pass;
    const states = { onChainState: 'ACTIVE', state: 'ACTIVE', valid };
    const record = { id, chain: NETWORK, gatekeeperNetwork, walletAddress: wallet, events: eventsOf(pass), ...states };
    const { type, network } = NETWORK;
    insert.run(gatekeeperNetwork, wallet, type, network, id, 'ACTIVE', 3, JSON.stringify(record));
  }
}

/** Returns the rows in the normalized tables of the mainstream peer. */
export function seedNormalized(db: DatabaseSync, all: Iterable<SeededPass>): void {
  const { gatekeeperNetwork } = PARTNER;
  const insertPass = db.prepare("INSERT INTO passes VALUES (?, ?, ?, ?, ?, 'ACTIVE', 'ACTIVE', NULL)");
  const insertTransaction = db.prepare('INSERT INTO transactions VALUES (?, ?)');
  const insertEvent = db.prepare(
    'INSERT INTO events (pass_id, event_type, timestamp, transaction_identifier) VALUES (?, ?, ?, ?)',
  );
  for (const pass of all) {
    const { type, network } = NETWORK;
    insertPass.run(pass.id, gatekeeperNetwork, type, network, pass.wallet);
    insertTransaction.run(pass.transaction, 'confirmed');
    for (const { eventType, timestamp, transaction } of eventsOf(pass)) {
      insertEvent.run(pass.id, eventType, timestamp, transaction.identifier);
    }
  }
}

type Headers = Readonly<Record<string, string>>;

/** Returns two hundred of the passes, evenly spread. */
export function fetchRequests(seeded: readonly SeededPass[], headers: Headers): Request[] {
  const step = Math.max(1, Math.floor(seeded.length / 200));
  return seeded
    .filter((_, index) => index % step === 0)
    .map(({ wallet }) => ({ method: 'GET', path: `${ROUTE}/${wallet}`, headers }));
}

/** Returns public checks of the same passes. */
export function verifyRequests(seeded: readonly SeededPass[]): Request[] {
  const checked = fetchRequests(seeded, {});
  return checked.map(({ path }) => ({
    method: 'GET',
    path: path.replace('/pass/', `/verify/${PARTNER.gatekeeperNetwork}/`),
  }));
}

/** Returns requests for pages of twenty that begin after these passes; undefined means the first page. */
export function searchRequests(
  ids: readonly (string | undefined)[],
  headers: Headers,
  filter: object | undefined = undefined,
): Request[] {
  const body = (after: string | undefined) => JSON.stringify({ limit: 20, after, filter });
  return ids.map((after) => ({ method: 'POST', path: '/pass', headers, body: body(after) }));
}

/** The filter for the network of all passes. */
export const ON_NETWORK = { chain: NETWORK };

/** Returns issuances for `count` wallets without a pass. Another seed gives other wallets. */
export function issuanceRequests(count: number, seed: number, headers: Headers): Request[] {
  const next = randomNumbers(0x9e3779b9 ^ seed);
  return Array.from({ length: count }, () => {
    return { method: 'POST', path: ROUTE, headers, body: JSON.stringify({ walletAddress: aWallet(next) }) };
  });
}

/** Returns requests that issue `count` passes, `items` with each. Another seed gives other wallets. */
export function bulkRequests(count: number, items: number, seed: number, headers: Headers): Request[] {
  const next = randomNumbers(0x9e3779b9 ^ seed);
  return Array.from({ length: count / items }, () => {
    const all = Array.from({ length: items }, () => ({ chain: NETWORK, walletAddress: aWallet(next) }));
    return { method: 'POST', path: '/passes', headers, body: JSON.stringify({ items: all }) };
  });
}
