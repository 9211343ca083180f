import { RpcFault } from '../chain/port.ts';
import type { ChainChange, Place, Scan, TokenChange } from '../chain/watch-port.ts';
import { MINUTE_MS, nowSeconds, SECOND_MS } from '../lib/units.ts';
import { within } from '../lib/with-timeout.ts';
import { log, logFault } from '../log/log.ts';
import type { Store } from '../store/store.ts';
import {
  afterGapRead,
  afterLoss,
  afterScan,
  type Gap,
  type History,
  readableGaps,
  startsOf,
  timeBefore,
  unreadBefore,
  unservedIn,
  withUnserved,
} from './places.ts';
import { networkIn, subjectOf, WAITING_MAX } from './waiting-changes.ts';
import { isInContract, isOwnKey, type WatchedNetwork } from './watched-network.ts';
import type { WatcherStore } from './watcher-store.ts';

/** Reads the chain from the known places, and stores the changes by others in the same commit as the new places. */

/** Maximum number of gaps that one interval reads from, so that the signers get their share of the endpoints' requests. */
const GAP_READS_MAX = 10;
/** The part of an interval after which it begins no further reading of a gap. */
const GAP_READS_SHARE = 0.5;
/** A new contract is scanned from this long ago, because the list of contracts in memory may be a minute old. */
const NEW_CONTRACT_SECONDS = (2 * MINUTE_MS) / SECOND_MS;
const SIGNER_TIMEOUT_MS = 3_000;
/** Maximum number of transactions in one call of a signer. */
const ASKED_MAX = 1_000;
/** Number of times that each endpoint must lack all known blocks, because a node that is far behind lacks them too. */
const LOSSES_PER_ENDPOINT = 2;
/** Maximum number of changed roles of one gatekeeper network that wait. */
const ROLES_MAX = 100;
/** Maximum number of tokens of one reading whose gatekeeper networks are asked for. The others wait, and are read in turn. */
const NAMED_MAX = 300;
/** Maximum number of changes in memory. A scan that finds a forgotten one compares it again. */
const SEEN_MAX = 20_000;

export interface Follower {
  readonly store: WatcherStore;
  readonly database: Pick<Store, 'findContracts' | 'findOwners'>;
  readonly signers: Env['SIGNERS'];
  /** The changes that scans have seen, with their blocks. In memory only: another isolate compares a few changes again. */
  readonly seen: Map<string, number>;
  /** Number of scans in a row that found none of its places on the chain. */
  losses: number;
}

/** Whether the table has room for the changes of another scan. */
export const hasRoom = ({ store }: Follower): boolean => store.changes.count() < WAITING_MAX;

/** Scans up to the newest block. Throws RpcFault if no endpoint answers, or if all of its places have left the chain. */
export async function scanNewest(follower: Follower, watched: WatchedNetwork): Promise<void> {
  const { store } = follower;
  const { port } = watched;
  const before = store.history;
  const contracts = await contractsOf(follower.database, watched, before.contracts);
  const isNew = before.places.length > 0 && contracts.some((each) => !before.contracts.includes(each));
  const starts = startsOf(before, isNew ? nowSeconds() - NEW_CONTRACT_SECONDS : undefined);
  const { scan, start } = await scanFrom(starts, (after) => port.scan({ after }, contracts, before.turn));
  if (scan.type === 'scanned') {
    const reorged = start === starts[0] ? undefined : start;
    if (reorged !== undefined) forgetReorged(follower, watched, reorged);
    const now = Date.now();
    const known = notInFuture(scan);
    const unread = starts.length === 0 ? unreadBefore(known, store.passesSince, now) : [];
    await record(follower, watched, scan.changes, before.turn, (history) =>
      withUnserved(afterScan(history, known, contracts, reorged), [...unservedIn(scan), ...unread], now),
    );
    follower.losses = 0;
    return;
  }
  const why = scan.type === 'gone' ? scan.why : 'all known blocks have left the chain';
  follower.losses += 1;
  store.setHistory({ ...store.history, turn: before.turn + 1 });
  if (follower.losses < LOSSES_PER_ENDPOINT * watched.endpoints) throw new RpcFault(why);
  // No endpoint has a block that the watcher knows. Only the reconciliation can find what happened since.
  const now = await port.scan({ after: undefined }, contracts, before.turn);
  if (now.type !== 'scanned') throw new RpcFault(why);
  store.setHistory(afterLoss(store.history, notInFuture(now), contracts, { why, foundAt: Date.now() }));
  follower.losses = 0;
}

/** A node may claim a time of the future, which would count as covered until then. */
function notInFuture<S extends Extract<Scan, { readonly type: 'scanned' }>>(scan: S): S {
  return { ...scan, newest: { ...scan.newest, time: Math.min(scan.newest.time, nowSeconds()) } };
}

/** Scans from the first of these places that is still on the chain; without one, only the newest place. */
async function scanFrom(
  starts: readonly Place[],
  scan: (after: Place | undefined) => Promise<Scan>,
): Promise<{ readonly scan: Scan; readonly start: Place | undefined }> {
  const [start, ...older] = starts;
  const found = await scan(start);
  return found.type === 'reorged' && older.length > 0 ? scanFrom(older, scan) : { scan: found, start };
}

/** Forgets the changes in blocks that have left the chain. The same transaction may be back in a block with the same number. */
function forgetReorged({ store, seen }: Follower, { network }: WatchedNetwork, start: Place): void {
  log('watcher.reorg_seen', { network: network.network, from: start.at });
  for (const [name, at] of seen) if (at > start.at) seen.delete(name);
  store.commit(() => store.changes.forgetAfter(start));
}

/** Reads from gaps, the newest first, as far as the table has room and the time suffices. */
export async function readGaps(follower: Follower, watched: WatchedNetwork, since: number): Promise<void> {
  const { store } = follower;
  const { port, intervalMs } = watched;
  // A gap that remains as it is waits for the next interval.
  const tried = new Set<string>();
  for (let reads = 0; reads < GAP_READS_MAX && hasRoom(follower); reads += 1) {
    const { history } = store;
    const gap = readableGaps(history).find((each) => !tried.has(nameOfGap(each)));
    if (gap === undefined || Date.now() > since + GAP_READS_SHARE * intervalMs) return;
    tried.add(nameOfGap(gap));
    const span = { after: gap.after, before: gap.before };
    const scan = await port.scan(span, history.contracts, history.turn + reads);
    const changes = scan.type === 'scanned' ? scan.changes : [];
    await record(follower, watched, changes, history.turn + reads, (known) =>
      withUnserved(afterGapRead(known, gap, scan, Date.now()), unservedIn(scan), Date.now()),
    );
  }
}

const nameOfGap = ({ after, before }: Gap) => `${after.at} ${before.at}`;

/**
 * Stores the changes by others that are new, with the history after them, in one commit.
 * @param turn Begins with the endpoint that has read the changes.
 */
async function record(
  { store, seen, signers, database }: Follower,
  watched: WatchedNetwork,
  changes: readonly ChainChange[],
  turn: number,
  change: (history: History) => History,
): Promise<void> {
  const fresh = changes.filter((each) => !seen.has(nameOf(each)));
  const own = await ownAmong(fresh, watched, signers);
  const foreign = fresh.filter(({ transaction }) => !own.has(transaction));
  const { kept, strangers } = await sortOut(foreign, watched, database, change(store.history), turn);
  store.commit(() => {
    const history = change(store.history);
    for (const each of withoutRoleFloods(store, kept, watched)) store.changes.add(each, timeBefore(history, each.at));
    // Its token may wait without a name. Another endpoint must say so too.
    for (const waiting of [...strangers].map((each) => store.changes.find(each)))
      if (waiting?.changes.every(isUnnamed) && store.isEndedByTwo(waiting, turn, watched.endpoints))
        store.changes.delete([waiting.subject]);
    store.setHistory(history);
  });
  // Each endpoint says by itself which changes are of strangers: otherwise one of them could hide the change of a pass.
  for (const each of fresh) if (!strangers.has(each)) seen.set(nameOf(each), each.at);
  for (const oldest of seen.keys()) {
    if (seen.size <= SEEN_MAX) break;
    seen.delete(oldest);
  }
}

/** Leaves out roles beyond the maximum of their gatekeeper network: an authority may change any number. Roles of own keys all stay. */
function withoutRoleFloods(
  { changes: waiting }: WatcherStore,
  changes: readonly ChainChange[],
  watched: WatchedNetwork,
): readonly ChainChange[] {
  const counts = new Map<string, number>();
  return changes.filter((change) => {
    if (change.type !== 'role' || isOwnKey(watched, change.account)) return true;
    const { contract, gatekeeperNetwork } = change;
    const name = `${contract} ${gatekeeperNetwork}`;
    const count = (counts.get(name) ?? waiting.countRoles(contract, gatekeeperNetwork)) + 1;
    counts.set(name, count);
    return count <= ROLES_MAX;
  });
}

/**
 * Sorts the changes of strangers out: those in gatekeeper networks that no partner has in that contract. Anybody may create one. While D1
 * does not answer, all are kept.
 * @param history The history after the reading of the changes.
 */
async function sortOut(
  changes: readonly ChainChange[],
  { port, network }: WatchedNetwork,
  database: Pick<Store, 'findOwners'>,
  history: History,
  turn: number,
): Promise<{ readonly kept: readonly ChainChange[]; readonly strangers: ReadonlySet<ChainChange> }> {
  const unnamed = changes.filter(isUnnamed);
  const tokens = [...new Map(unnamed.map((each) => [subjectOf(each), each])).values()].slice(0, NAMED_MAX);
  const names = tokens.length === 0 ? [] : await port.nameNetworks(tokens, history.places.at(-1)?.at ?? 0, turn);
  const nameOfToken = new Map(tokens.map((each, index) => [subjectOf(each), names[index]]));
  const nameIn = (change: ChainChange) => networkIn(change) ?? nameOfToken.get(subjectOf(change));
  const named = [...new Set(changes.flatMap((each) => nameIn(each) ?? []))];
  const owners = await database.findOwners(named).catch(() => undefined);
  const isOfStranger = (change: ChainChange) => {
    const name = nameIn(change);
    if (name === undefined || name === null) return name === null;
    return owners !== undefined && !isInContract(owners.get(name), network, change.contract);
  };
  const kept = changes.filter((each) => !isOfStranger(each));
  return {
    kept: kept.map((each) =>
      each.type === 'token' ? { ...each, gatekeeperNetwork: nameIn(each) ?? undefined } : each,
    ),
    strangers: new Set(changes.filter(isOfStranger)),
  };
}

const isUnnamed = (change: ChainChange): change is TokenChange =>
  change.type === 'token' && networkIn(change) === undefined;

/** Names a change with the number of its block: the same transaction in another block is a new change. */
const nameOf = (change: ChainChange) => JSON.stringify(change);

/** Returns the transactions that a signer of the network knows as its own. One that does not answer knows none. */
async function ownAmong(
  changes: readonly ChainChange[],
  { signers: names, network }: WatchedNetwork,
  signers: Env['SIGNERS'],
): Promise<ReadonlySet<string>> {
  let unknown = [...new Set(changes.map(({ transaction }) => transaction))];
  const own = new Set<string>();
  for (const name of names) {
    for (let from = 0; from < unknown.length; from += ASKED_MAX) {
      const asked = signers.getByName(name).ownTransactions(unknown.slice(from, from + ASKED_MAX));
      const found = await within(SIGNER_TIMEOUT_MS, asked, 'the signer').catch((fault) => {
        logFault('signer.unreachable', fault, { signer: name, network: network.network });
        return [];
      });
      for (const each of found) own.add(each);
    }
    unknown = unknown.filter((each) => !own.has(each));
  }
  return own;
}

/** Returns the contracts of the deployment on the network; the last ones while the database does not answer. */
export async function contractsOf(
  database: Follower['database'],
  { network }: WatchedNetwork,
  last: readonly string[],
): Promise<readonly string[]> {
  if (network.chain === 'solana') return [network.program];
  const chosen = await database.findContracts(network.network, Date.now()).catch((fault) => {
    logFault('watcher.run_failed', fault, { network: network.network, part: 'contracts' });
    return last;
  });
  const all = [network.gateway, ...chosen];
  return [...new Map(all.map((each) => [each.toLowerCase(), each])).values()];
}
