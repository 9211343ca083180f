import type { COUNTED, TIMED } from '../../counts/counted.ts';
import { SECOND_MS, type UnixSeconds } from '../../lib/units.ts';
import { BUCKETS_SECONDS, type Totals } from '../../signer-object/schema.ts';
import type { SignerMetrics } from '../../signer-object/status.ts';
import { DIFFERENCES } from '../../store/runs.ts';
import type { WatcherStatus } from '../../watcher-object/watcher-store.ts';
import type { SignerSnapshot, Snapshot } from './collect-metrics.ts';
import {
  countedSamples,
  type Family,
  formatMetrics,
  histogramSamples,
  type Sample,
  timedSamples,
} from './open-metrics.ts';

/** A metric without its name, and its samples in a snapshot. */
interface Metric extends Omit<Family, 'name' | 'unit'> {
  readonly samplesOf: (snapshot: Snapshot) => readonly Sample[];
}

const metric =
  (type: Family['type']) =>
  (help: string, samplesOf: Metric['samplesOf'], by?: string): Metric => ({
    ...{ type, help, samplesOf },
    ...(by !== undefined && { by }),
  });
const [gauge, counter, histogram, info] = [metric('gauge'), metric('counter'), metric('histogram'), metric('info')];

type Answered = SignerSnapshot & { readonly metrics: SignerMetrics };

/** Returns samples of each signer that answered, with its network and its key as labels. */
const ofSigners =
  (samplesOf: (metrics: SignerMetrics, signer: SignerSnapshot) => readonly Sample[] | number | undefined) =>
  ({ signers }: Snapshot): Sample[] =>
    signers
      .filter((signer): signer is Answered => signer.metrics !== undefined)
      .flatMap((signer) => {
        const { network, address, metrics } = signer;
        const found = samplesOf(metrics, signer) ?? [];
        const samples = typeof found === 'number' ? [{ value: found }] : found;
        return samples.map((sample) => ({ ...sample, labels: { network, signer: address, ...sample.labels } }));
      });

const total = (pick: (totals: Totals) => number) =>
  ofSigners(({ totals }) => [{ suffix: '_total', value: pick(totals) }]);

/** Returns a sample of each watcher that has begun, with its network as a label. */
const ofWatchers =
  (pick: (status: WatcherStatus, now: UnixSeconds) => number | undefined, suffix?: string) =>
  ({ watchers, now }: Snapshot): Sample[] =>
    watchers.flatMap(({ network, status }) => {
      const value = status && pick(status, now);
      return value === undefined ? [] : [{ ...(suffix !== undefined && { suffix }), labels: { network }, value }];
    });

/** The same for watchers that are on. */
const ofActiveWatchers = (pick: (status: WatcherStatus, now: UnixSeconds) => number | undefined) =>
  ofWatchers((status, now) => (status.isOn ? pick(status, now) : undefined));

const one = (value: number | undefined): Sample[] => (value === undefined ? [] : [{ value }]);

/** The coins of a balance. The smallest unit is 10^-18 of a coin on Ethereum-type networks, and 10^-9 on Solana. */
const coinsOf = (balance: string, chain: SignerSnapshot['chain']) =>
  Number(balance) / (chain === 'ethereum' ? 1e18 : 1e9);

/** Maximum number of gatekeeper networks of a signer that the metrics show. */
const MAX_LANES = 100;

/** Returns a sample of each gatekeeper network of each signer that answered, those with most spending and waiting steps first. */
const ofLanes = (pick: (lane: SignerMetrics['lanes'][number], chain: SignerSnapshot['chain']) => number) =>
  ofSigners(({ lanes }, { chain }) =>
    lanes
      .toSorted((a, b) => Number(b.spending.spent) - Number(a.spending.spent) || b.waiting - a.waiting)
      .slice(0, MAX_LANES)
      .map((lane) => ({ labels: { gatekeeper_network: lane.gatekeeperNetwork }, value: pick(lane, chain) })),
  );

const histogramOf = ({ confirmations: { count, seconds, buckets } }: Totals) =>
  histogramSamples({}, BUCKETS_SECONDS, { below: (bound) => buckets[bound] ?? 0, count, sum: seconds });

const counted =
  (name: keyof typeof COUNTED, alsoZeroOf?: string) =>
  ({ counted: sums }: Snapshot) =>
    sums === undefined ? [] : countedSamples(sums.counts, name, alsoZeroOf);
const timed =
  (name: keyof typeof TIMED) =>
  ({ counted: sums }: Snapshot) =>
    sums === undefined ? [] : timedSamples(sums.counts, name);

const METRICS: Readonly<Record<string, Metric>> = {
  gatepass_build: info('Version and commit of the code that answers.', ({ code }) => [
    { suffix: '_info', labels: code, value: 1 },
  ]),
  gatepass_requests: counter(
    'Number of answered requests, by route, method, class of the status, and the 100 busiest partners.',
    counted('requests'),
    'status',
  ),
  gatepass_requests_failed: counter(
    'Number of requests that the service failed: a 5xx status, or no success within 5 seconds beyond a wait that was asked for.',
    counted('requestsFailed', 'requests'),
    'route',
  ),
  gatepass_request_seconds: histogram(
    'Time from the arrival of a request until its answer, except of requests that ask to wait.',
    timed('requestSeconds'),
    'route',
  ),
  gatepass_refusals: counter(
    'Number of requests that were refused, by the code of the problem.',
    counted('refusals'),
    'code',
  ),
  gatepass_tokens_refused: counter(
    'Number of access tokens that were refused, by reason.',
    counted('tokensRefused'),
    'reason',
  ),
  gatepass_queue_age_seconds: histogram(
    'Time of a message in the queue until its delivery, with all repeated deliveries.',
    timed('queueSeconds'),
    'queue',
  ),
  gatepass_settlement_seconds: histogram(
    'Time from the acceptance of a request until the read model shows its effect, by network and kind of request.',
    timed('settlementSeconds'),
  ),
  gatepass_settlements_late: counter(
    'Number of requests whose effect took longer than the time of the network.',
    counted('settledLate', 'settlementSeconds'),
  ),
  gatepass_network_time_seconds: gauge('Time within which the effect of a request should show.', ({ networkTimes }) =>
    [...networkTimes].map(([network, ms]) => ({ labels: { network }, value: ms / SECOND_MS })),
  ),
  gatepass_network_ends_at_seconds: gauge(
    'Unix time from which on the network counts as ended. Absent if no end is announced.',
    ({ networkEnds }) => [...networkEnds].map(([network, value]) => ({ labels: { network }, value })),
  ),
  gatepass_overdue_passes: gauge(
    'Number of passes that wait for longer than the time of the network. The count of a shard stops at 1,000 waiting passes.',
    ({ overdue }) => [...overdue].map(([network, value]) => ({ labels: { network }, value })),
  ),
  gatepass_counts_missing: gauge('Whether the counts of the isolates could not be read (1).', ({ counted: sums }) =>
    one(Number(sums === undefined)),
  ),
  gatepass_signer_balance_coins: gauge(
    'Balance of the key, at most five minutes old.',
    ofSigners(({ funds }, { chain }) => funds && coinsOf(funds.balance, chain)),
  ),
  gatepass_signer_passes_left: gauge(
    'Number of issuances that the balance pays for at their current maximum cost.',
    ofSigners(({ funds }) => funds?.passesLeft ?? undefined),
  ),
  gatepass_signer_waiting_steps: gauge(
    'Number of unsigned steps by rank: 0 revoke and freeze, 1 single requests, 2 bulk issuances.',
    ofSigners(({ waitingByRank }) => waitingByRank.map((value, rank) => ({ labels: { rank: String(rank) }, value }))),
  ),
  gatepass_waiting_steps: gauge(
    'Number of steps that wait, by reason: a code of the reasons to wait, turn, or unsent.',
    ofSigners(({ waitingByReason = {} }) =>
      Object.entries(waitingByReason).map(([reason, value]) => ({ labels: { reason }, value })),
    ),
  ),
  gatepass_signer_spent_coins: gauge(
    'Cost of the transactions of today (UTC): the actual cost if it is known, the maximum cost otherwise.',
    ofSigners(({ spending }, { chain }) => coinsOf(spending.spent, chain)),
  ),
  gatepass_signer_ceiling_coins: gauge(
    'Daily ceiling of the signer.',
    ofSigners(({ spending }, { chain }) => coinsOf(spending.ceiling, chain)),
  ),
  gatepass_lane_spent_coins: gauge(
    'The same cost for a gatekeeper network, of the 100 with most spending.',
    ofLanes(({ spending }, chain) => coinsOf(spending.spent, chain)),
  ),
  gatepass_lane_ceiling_coins: gauge(
    'Daily ceiling of a gatekeeper network.',
    ofLanes(({ spending }, chain) => coinsOf(spending.ceiling, chain)),
  ),
  gatepass_lane_waiting_steps: gauge(
    'Number of unsigned steps of a gatekeeper network.',
    ofLanes(({ waiting }) => waiting),
  ),
  gatepass_client_waiting_limit: gauge('Maximum number of unsigned steps of a partner on a network.', (snapshot) =>
    one(snapshot.clientMaxWaiting),
  ),
  gatepass_quota_used: gauge('Part of a daily quota that a partner has used today (UTC).', ({ quotas }) =>
    quotas.map(({ partner, quota, used }) => ({ labels: { partner, quota }, value: used })),
  ),
  gatepass_quota_limit: gauge('Daily quota of a partner.', ({ quotas }) =>
    quotas.map(({ partner, quota, limit }) => ({ labels: { partner, quota }, value: limit })),
  ),
  gatepass_signer_in_flight_transactions: gauge(
    'Number of signed transactions that are not final, by stage: unsent, sent or confirmed.',
    ofSigners(({ inFlight }) => Object.entries(inFlight).map(([stage, value]) => ({ labels: { stage }, value }))),
  ),
  gatepass_signer_oldest_pending_seconds: gauge(
    'Age of the transaction that has waited longest for a block. 0 if no transaction waits.',
    ofSigners(({ oldestPending }) => oldestPending?.ageSeconds ?? 0),
  ),
  gatepass_signer_paused: gauge(
    'Whether the signer is paused (1) and sends nothing.',
    ofSigners(({ paused }) => Number(paused !== null)),
  ),
  gatepass_contract_changes: counter(
    'Number of changes of code, implementation, super admins or forwarders that the watcher saw.',
    ofSigners(({ contracts }) =>
      contracts.map(({ contract, changes }) => ({ suffix: '_total', labels: { contract }, value: changes })),
    ),
  ),
  gatepass_contract_code_unknown: gauge(
    'Whether the code of the contract is unknown (1): neither the public build nor accepted in NETWORKS.',
    ofSigners(({ contracts }) =>
      contracts.map(({ contract, code }) => ({ labels: { contract }, value: Number(code === 'unknown') })),
    ),
  ),
  gatepass_signers_missing: gauge('Number of signers that did not answer within 1.5 seconds.', ({ signers }) =>
    one(signers.filter(({ metrics }) => metrics === undefined).length),
  ),
  gatepass_watch_lag_seconds: gauge(
    'Time since the moment up to which the watcher has covered the chain. Absent while it is off or has covered nothing.',
    ofActiveWatchers(({ coveredUntil }, now) => (coveredUntil === null ? undefined : Math.max(0, now - coveredUntil))),
  ),
  gatepass_watch_waiting_changes: gauge(
    'Number of changes on chain that wait for a reading or for their final block.',
    ofActiveWatchers(({ waiting }) => waiting),
  ),
  gatepass_watch_unserved_gaps: gauge(
    'Number of parts of the chain that the watcher missed and no endpoint serves.',
    ofActiveWatchers(({ unservedGaps }) => unservedGaps),
  ),
  gatepass_foreign_changes: counter(
    'Number of changes by others that passes have adopted.',
    ofWatchers(({ foreignChanges }) => foreignChanges, '_total'),
  ),
  gatepass_removed_gatekeepers: gauge(
    'Number of gatekeepers whose removal has voided the tokens that they had issued.',
    ofWatchers(({ removedGatekeepers }) => removedGatekeepers.length),
  ),
  gatepass_watchers_missing: gauge('Number of watchers that did not answer within 1.5 seconds.', ({ watchers }) =>
    one(watchers.filter(({ isMissing }) => isMissing).length),
  ),
  gatepass_passes_issued: counter(
    'Number of confirmed issuances.',
    total(({ issued }) => issued),
  ),
  gatepass_steps_failed: counter(
    'Number of steps that the chain refuses for good.',
    total(({ failed }) => failed),
  ),
  gatepass_transactions_reorged: counter(
    'Number of transactions whose block left the chain.',
    total(({ reorged }) => reorged),
  ),
  gatepass_confirmation_seconds: histogram(
    'Time from the first signature of a step to its confirmation.',
    ofSigners(({ totals }) => histogramOf(totals)),
  ),
  gatepass_stuck_passes: gauge(
    'Number of passes that have been unsettled for five minutes or longer. The count of a shard stops at 1,000.',
    ({ shards }) => shards.map(({ shard, stuck }) => ({ labels: { shard }, value: stuck })),
  ),
  gatepass_dead_letters: gauge(
    'Number of messages that the service will not process again by itself. The count stops at 1,000.',
    ({ deadLetters }) => one(deadLetters),
  ),
  gatepass_reconciliation_age_seconds: gauge('Time since the reconciliation last began or continued.', ({ now, run }) =>
    one(run && Math.max(0, now - run.updated)),
  ),
  gatepass_reconciliation_differences: gauge(
    'Number of differences that the last reconciliation found, by kind.',
    ({ run }) =>
      run === undefined ? [] : DIFFERENCES.map((kind) => ({ labels: { kind }, value: run.counts[kind] ?? 0 })),
  ),
  gatepass_shard_size_bytes: gauge('Size of the database.', ({ shards }) =>
    shards.map(({ shard, bytes }) => ({ labels: { shard }, value: bytes })),
  ),
  gatepass_shard_limit_bytes: gauge('Maximum size of each database.', ({ databaseMaxBytes }) => one(databaseMaxBytes)),
  gatepass_shards_missing: gauge('Number of databases that did not answer.', ({ unreadShards }) => one(unreadShards)),
  gatepass_webhook_lag_events: gauge(
    'Events that the slowest enabled webhook of the gatekeeper network has not read yet.',
    ({ webhooks: { lags } }) =>
      [...lags].map(([gatekeeper_network, value]) => ({ labels: { gatekeeper_network }, value })),
  ),
  gatepass_webhooks_failing: gauge(
    'Number of enabled webhooks whose last delivery failed.',
    ({ webhooks: { failing } }) => one(failing),
  ),
  gatepass_webhooks_disabled: gauge(
    'Number of webhooks that the service disabled because their deliveries failed.',
    ({ webhooks: { disabled } }) => one(disabled),
  ),
  gatepass_webhooks_missing: gauge(
    'Number of webhooks that did not answer within 1.5 seconds.',
    ({ webhooks: { missing } }) => one(missing),
  ),
  gatepass_webhooks_unread: gauge(
    'Number of webhooks that the other metrics do not cover: more than 2,000, or not asked within 5 seconds.',
    ({ webhooks: { unread } }) => one(unread),
  ),
};

/** All metrics of the service. The dashboard is generated from this list. Names are append-only, and end with their unit. */
export const FAMILIES: readonly (Family & Metric)[] = Object.entries(METRICS).map(([name, each]) => {
  const unit = /_(coins|seconds|bytes|events)$/.exec(name)?.[1];
  return { name, ...(unit !== undefined && { unit }), ...each };
});

/** Returns the text of all metrics. */
export function metricsText(snapshot: Snapshot): string {
  return formatMetrics(FAMILIES.map((family) => ({ ...family, samples: family.samplesOf(snapshot) })));
}
