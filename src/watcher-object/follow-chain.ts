import { RpcFault } from '../chain/port.ts';
import type { ChainChange, Place, Scan } from '../chain/watch-port.ts';
import { MINUTE_MS, nowSeconds, SECOND_MS } from '../lib/time.ts';
import { within } from '../lib/with-timeout.ts';
import { log, logFault } from '../log/log.ts';
import type { GatekeeperNetwork } from '../network/slot.ts';
import type { Store } from '../store/store.ts';
import { afterGapRead, afterLoss, afterScan, type History, readableGaps, startsOf, timeBefore } from './places.ts';
import { WAITING_MAX } from './waiting-changes.ts';
import type { WatchedNetwork } from './watched-network.ts';
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
/** Maximum number of changes in memory. A scan that finds a forgotten one compares it again. */
const SEEN_MAX = 20_000;

export interface Follower {
  readonly store: WatcherStore;
  readonly database: Pick<Store, 'findContracts' | 'findShards'>;
  readonly signers: Env['SIGNERS'];
  /** The changes that scans have seen. In memory only: another isolate compares a few changes again. */
  readonly seen: Set<string>;
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
  const contracts = await contractsOf(follower, watched, before);
  const isNew = before.places.length > 0 && contracts.some((each) => !before.contracts.includes(each));
  const starts = startsOf(before, isNew ? nowSeconds() - NEW_CONTRACT_SECONDS : undefined);
  const { scan, start } = await scanFrom(starts, (after) => port.scan({ after }, contracts, before.turn));
  if (scan.type === 'scanned') {
    const reorged = start === starts[0] ? undefined : start;
    await record(follower, watched, scan.changes, (history) => {
      if (reorged !== undefined) forgetReorged(follower, watched, reorged);
      return afterScan(history, scan, contracts, reorged);
    });
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
  store.setHistory(afterLoss(store.history, now, contracts, { why, foundAt: Date.now() }));
  follower.losses = 0;
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

/** Changes in blocks that have left the chain are asked about again at once, because a noted loss may be void. */
function forgetReorged({ store }: Follower, { network }: WatchedNetwork, start: Place): void {
  log('watcher.reorg_seen', { network: network.network, from: start.at });
  store.changes.recheckAfter(start.at);
}

/** Reads from gaps, the newest first, as far as the table has room and the time suffices. */
export async function readGaps(follower: Follower, watched: WatchedNetwork, since: number): Promise<void> {
  const { store } = follower;
  const { port, intervalMs } = watched;
  for (let reads = 0; reads < GAP_READS_MAX && hasRoom(follower); reads += 1) {
    const { history } = store;
    const [gap] = readableGaps(history);
    if (gap === undefined || Date.now() > since + GAP_READS_SHARE * intervalMs) return;
    const span = { after: gap.after, before: gap.before };
    const scan = await port.scan(span, history.contracts, history.turn + reads);
    const changes = scan.type === 'scanned' ? scan.changes : [];
    await record(follower, watched, changes, (known) => afterGapRead(known, gap, scan, Date.now()));
  }
}

/** Stores the changes by others that are new, with the history after them, in one commit. */
async function record(
  { store, seen, signers, database }: Follower,
  watched: WatchedNetwork,
  changes: readonly ChainChange[],
  change: (history: History) => History,
): Promise<void> {
  const fresh = changes.filter((each) => !seen.has(nameOf(each)));
  const own = await ownAmong(fresh, watched, signers);
  const foreign = await ofPartners(
    fresh.filter(({ transaction }) => !own.has(transaction)),
    database,
  );
  store.commit(() => {
    const history = change(store.history);
    for (const each of foreign) store.changes.add(each, timeBefore(history, each.at));
    store.setHistory(history);
  });
  for (const each of fresh) seen.add(nameOf(each));
  for (const oldest of seen) {
    if (seen.size <= SEEN_MAX) break;
    seen.delete(oldest);
  }
}

/** Drops the changes in gatekeeper networks that no partner has: anybody may create one. While D1 does not answer, all are kept. */
async function ofPartners(
  changes: readonly ChainChange[],
  database: Pick<Store, 'findShards'>,
): Promise<readonly ChainChange[]> {
  const named = [...new Set(changes.flatMap((change) => networkIn(change) ?? []))];
  const known = named.length === 0 ? undefined : await database.findShards(named).catch(() => undefined);
  return changes.filter((change) => {
    const network = networkIn(change);
    return network === undefined || known === undefined || known.has(network);
  });
}

function networkIn(change: ChainChange): GatekeeperNetwork | undefined {
  if (change.type === 'role') return change.gatekeeperNetwork;
  return change.type === 'token' ? change.holder?.gatekeeperNetwork : undefined;
}

/** Names a change with the number of its block: after a reorg, the same transaction in a block with another number is a new change. */
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

/** Returns the contracts of the deployment on the network. While the database does not answer, those of the last scan. */
async function contractsOf(
  { database }: Follower,
  { network }: WatchedNetwork,
  { contracts: last }: History,
): Promise<readonly string[]> {
  if (network.chain === 'solana') return [network.program];
  const chosen = await database.findContracts(network.network, Date.now()).catch((fault) => {
    logFault('watcher.run_failed', fault, { network: network.network, part: 'contracts' });
    return last;
  });
  const all = [network.gateway, ...chosen];
  return [...new Map(all.map((each) => [each.toLowerCase(), each])).values()];
}
