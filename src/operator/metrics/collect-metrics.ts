import type { Config } from '../../config/config.ts';
import { RELEASE } from '../../config/release.ts';
import { signerNameOf, signersOn } from '../../config/signers.ts';
import { METRICS_NAME } from '../../counts/counts.ts';
import { type Milliseconds, nowSeconds, SECOND_MS, type UnixSeconds } from '../../lib/units.ts';
import { withTimeout } from '../../lib/with-timeout.ts';
import { callObject } from '../../message/call-object.ts';
import { activeWithinMs, contractOf, type Network, networkStatusOf } from '../../network/network.ts';
import { rulesFor } from '../../network/sandbox.ts';
import type { GatekeeperNetwork } from '../../network/slot.ts';
import type { Backend } from '../../operations/backend.ts';
import type { Lane } from '../../signer-object/step-queries.ts';
import type { PartnerRecord } from '../../store/partner-record.ts';
import type { ShardMetrics } from '../../store/unsettled.ts';

/** The state of the service at one moment, for the metrics. A part that did not answer in time is undefined. */
export type Snapshot = Awaited<ReturnType<typeof collectMetrics>>;
export type SignerSnapshot = Snapshot['signers'][number];
export type WatcherSnapshot = Awaited<ReturnType<typeof readWatchers>>[number];

/** An object that answers later is counted as missing. */
const ANSWER_TIMEOUT_MS = 1_500;
/** Maximum number of webhooks that a scrape asks. The platform allows 10,000 calls. */
const MAX_WEBHOOKS = 2_000;
const PARALLEL_WEBHOOKS = 100;
/** Until then a scrape asks webhooks. A scraper waits for ten seconds by default. */
const WEBHOOKS_MS = 5_000;

/**
 * Collects the metrics from signers, watchers, databases and webhooks. It never waits for a node, and a part that does not answer affects
 * no other.
 * @param stuckAfter Seconds after which an unsettled pass counts as stuck.
 */
export async function collectMetrics(config: Config, backend: Backend, stuckAfter: number, maxWebhooks = MAX_WEBHOOKS) {
  const { store, metricsObject } = backend;
  const now = nowSeconds();
  const readCounts = async () => {
    const sums = await callObject(async () => metricsObject().read(), 'metrics', METRICS_NAME, ANSWER_TIMEOUT_MS);
    return { sums, quotas: await readQuotas(sums?.partners ?? [], backend, ANSWER_TIMEOUT_MS) };
  };
  const [signers, watchers, { shards, unread }, deadLetters, run, { unreadShards: unreadFeeds, ...webhooks }, counted] =
    await Promise.all([
      readSigners(config, backend),
      readWatchers(config, backend, ANSWER_TIMEOUT_MS),
      store.readShardMetrics(now, endedNetworks(config, now)),
      store.countDeadLetters().catch(() => undefined),
      store.lastRun().catch(() => undefined),
      readWebhooks(backend, maxWebhooks),
      readCounts(),
    ]);
  const unreadShards = new Set([...unread, ...unreadFeeds]).size;
  const { commit, databaseMaxBytes, clientMaxWaiting } = config;
  const networkTimes = new Map(enabledNetworks(config).map((network) => [network.network, activeWithinMs(network)]));
  const networkEnds = new Map(
    enabledNetworks(config).flatMap((network) => {
      const status = networkStatusOf(network, now);
      return status.type === 'live' ? [] : [[network.network, status.endsAt] as const];
    }),
  );
  const waiting = shards.flatMap(({ unsettled }) => unsettled);
  const overdue = new Map(
    [...networkTimes].map(([network, ms]) => [network, countSince(waiting, now - ms / SECOND_MS, network)]),
  );
  return {
    code: { version: RELEASE, commit },
    now,
    databaseMaxBytes,
    clientMaxWaiting,
    signers,
    watchers,
    /** `stuck`: the number of stuck passes, at most 1,000. */
    shards: shards.map(({ unsettled, ...shard }) => ({ ...shard, stuck: countSince(unsettled, now - stuckAfter) })),
    /** Number of databases that did not answer. */
    unreadShards,
    deadLetters,
    /** The newest run of the reconciliation, also undefined if there was none. */
    run,
    webhooks,
    /** The sums of all isolates, and the daily quotas of the partners that are a label there. */
    counted: counted.sums,
    quotas: counted.quotas,
    /** For each enabled network, the milliseconds within which the effect of a request should show. */
    networkTimes,
    /** For each enabled network with a date, the time at which it ends. */
    networkEnds,
    /** Number of passes that wait for longer than the time of their network, by network. */
    overdue,
  };
}

const endedNetworks = ({ networks }: Config, now: UnixSeconds) =>
  networks.flatMap((network) => (networkStatusOf(network, now).type === 'ended' ? network.network : []));

const enabledNetworks = (config: Config) => config.networks.filter((network) => signersOn(config, network).length > 0);

/** Returns how many of the passes have waited since that time or longer. */
function countSince(waiting: ShardMetrics['unsettled'], since: UnixSeconds, network?: string): number {
  return waiting.filter((pass) => pass.since <= since && (network === undefined || pass.network === network)).length;
}

/** Maximum number of gatekeeper networks in which a signer without any steps simulates an issuance. Its key may lack the rights in one. */
const MAX_LANES = 5;
const PARTNERS_READ = 20;
/** The signers are read although the database does not answer. */
const LANES_TIMEOUT_MS = 500;

/** Returns gatekeeper networks for which passes may be issued on a network, as a function of the network. */
async function readLanes({ store }: Backend): Promise<(network: Network) => Lane[]> {
  const partners = await withTimeout(
    LANES_TIMEOUT_MS,
    store.partnersAfter('', PARTNERS_READ).catch(() => []),
    [],
  );
  const mayIssue = ({ status, networks, sandbox }: PartnerRecord, { network }: Network) =>
    !sandbox && status === 'active' && (networks === null || networks.includes(network));
  return (network) =>
    partners
      .filter((partner) => mayIssue(partner, network))
      .slice(0, MAX_LANES)
      .map(({ gatekeeperNetwork, contracts }) => ({
        lane: gatekeeperNetwork as GatekeeperNetwork,
        contract: contractOf(contracts, network),
      }));
}

async function readSigners(config: Config, backend: Backend) {
  const { signerObject } = backend;
  const lanesOn = await readLanes(backend);
  const enabled = config.networks.flatMap((network) => signersOn(config, network));
  return Promise.all(
    enabled.map(async (each) => {
      const name = signerNameOf(each);
      const { chain, network, gatekeeper } = each;
      const read = async () => signerObject(name).metrics(lanesOn(network));
      const metrics = await callObject(read, 'signer', name, ANSWER_TIMEOUT_MS);
      return { network: network.network, chain, address: gatekeeper.address, metrics };
    }),
  );
}

/** Returns the state of the watcher of each enabled network. It waits for no node. */
export function readWatchers(config: Config, { watcherObject }: Backend, timeoutMs?: Milliseconds) {
  const enabled = enabledNetworks(config);
  return Promise.all(
    enabled.map(async ({ network }) => {
      const read = async () => ({ status: await watcherObject(network).status() });
      const answer = await callObject(read, 'watcher', network, timeoutMs);
      return { network, status: answer?.status, isMissing: answer === undefined };
    }),
  );
}

/** Returns the metrics of the webhooks, and the names of the databases that did not answer. */
async function readWebhooks({ store, webhookObject }: Backend, maxWebhooks: number) {
  const deadline = Date.now() + WEBHOOKS_MS;
  const [{ feeds, unread: unreadShards }, count] = await Promise.all([
    store.watchedFeedsAfter('', maxWebhooks),
    store.countWebhooks(),
  ]);
  const listed = feeds.flatMap(({ gatekeeperNetwork, sequence, webhooks }) =>
    rulesFor(gatekeeperNetwork).isMeasured ? webhooks.map((id) => ({ gatekeeperNetwork, sequence, id })) : [],
  );
  const lags = new Map<string, number>();
  let [failing, disabled, missing] = [0, 0, 0];
  async function readOne({ gatekeeperNetwork, sequence, id }: (typeof listed)[number]): Promise<void> {
    const read = async () => ({ webhook: await webhookObject(gatekeeperNetwork, id).read() });
    const answer = await callObject(read, 'webhook', id, ANSWER_TIMEOUT_MS);
    if (answer === undefined) missing += 1;
    // A listed id without a webhook is left over from a failed request.
    if (answer?.webhook === undefined) return;
    const { status, disabledReason, cursor, failingSince } = answer.webhook;
    if (disabledReason === 'gone' || disabledReason === 'no_success') disabled += 1;
    if (status === 'disabled') return;
    if (failingSince !== undefined) failing += 1;
    lags.set(gatekeeperNetwork, Math.max(lags.get(gatekeeperNetwork) ?? 0, sequence - cursor));
  }
  const asked = listed.slice(0, maxWebhooks);
  let next = 0;
  async function readSome(): Promise<void> {
    while (next < asked.length && Date.now() < deadline) {
      const each = asked[next];
      next += 1;
      if (each !== undefined) await readOne(each);
    }
  }
  await Promise.all(Array.from({ length: PARALLEL_WEBHOOKS }, readSome));
  return {
    /** The highest lag of the enabled webhooks of each gatekeeper network, in events. */
    lags,
    /** Number of enabled webhooks whose last delivery failed. */
    failing,
    /** Number of webhooks that the service disabled because their deliveries failed. */
    disabled,
    /** Number of webhooks that did not answer in time, and of those that were not asked: too many, or others took too long. */
    missing,
    unread: Math.max(count, listed.length) - next,
    unreadShards,
  };
}

/** Returns the daily quotas of these partners. A partner in a sandbox is left out, and one whose row or object does not answer in time. */
async function readQuotas(partners: readonly string[], { store, quotaObject }: Backend, timeoutMs: Milliseconds) {
  const read = partners.map(async (partner) => {
    const { gatekeeperNetwork, dailyIssuances, dailyChanges } =
      (await store.findPartner('client', partner, Date.now()).catch(() => undefined)) ?? {};
    if (dailyIssuances === undefined && dailyChanges === undefined) return [];
    if (!rulesFor(gatekeeperNetwork ?? '').isMeasured) return [];
    const used = await callObject(async () => quotaObject(partner).usedToday(), 'quota', partner, timeoutMs);
    if (used === undefined) return [];
    const quotas = [
      { partner, quota: 'issuances', used: used.count, limit: dailyIssuances },
      { partner, quota: 'changes', used: used.changes, limit: dailyChanges },
    ];
    return quotas.flatMap(({ limit, ...quota }) => (limit === undefined ? [] : [{ ...quota, limit }]));
  });
  return (await Promise.all(read)).flat();
}
