import type { SignerSnapshot, Snapshot } from '../../operations/collect-metrics.ts';
import type { SignerMetrics } from '../../signer-object/status.ts';
import { BUCKETS_SECONDS, type Totals } from '../../signer-object/totals.ts';
import { DIFFERENCES } from '../../store/reconciliations.ts';
import { FAMILIES, type FamilyName } from './families.ts';
import { formatMetrics, type Sample } from './open-metrics.ts';

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

const one = (value: number | undefined): Sample[] => (value === undefined ? [] : [{ value }]);

/** The coins of a balance. The smallest unit is 10^-18 of a coin on Ethereum-type networks, and 10^-9 on Solana. */
const coinsOf = (balance: string, chain: SignerSnapshot['chain']) =>
  Number(balance) / (chain === 'ethereum' ? 1e18 : 1e9);

function histogramOf({ confirmations: { count, seconds, buckets } }: Totals): Sample[] {
  let below = 0;
  const bounded = BUCKETS_SECONDS.map((bound) => {
    below += buckets[bound] ?? 0;
    // OpenMetrics writes bounds as floating-point numbers.
    return { suffix: '_bucket', labels: { le: bound.toFixed(1) }, value: below };
  });
  return [
    ...bounded,
    { suffix: '_bucket', labels: { le: '+Inf' }, value: count },
    { suffix: '_sum', value: seconds },
    { suffix: '_count', value: count },
  ];
}

/** The samples of each metric. */
const SAMPLES: Readonly<Record<FamilyName, (snapshot: Snapshot) => readonly Sample[]>> = {
  gatepass_signer_balance_coins: ofSigners(({ funds }, { chain }) => funds && coinsOf(funds.balance, chain)),
  gatepass_signer_passes_left: ofSigners(({ funds }) => funds?.passesLeft ?? undefined),
  gatepass_signer_waiting_steps: ofSigners(({ waitingByRank }) =>
    waitingByRank.map((value, rank) => ({ labels: { rank: String(rank) }, value })),
  ),
  gatepass_signer_in_flight_transactions: ofSigners(({ inFlight }) =>
    Object.entries(inFlight).map(([stage, value]) => ({ labels: { stage }, value })),
  ),
  gatepass_signer_oldest_pending_seconds: ofSigners(({ oldestPending }) => oldestPending?.ageSeconds ?? 0),
  gatepass_signer_paused: ofSigners(({ paused }) => Number(paused !== null)),
  gatepass_signers_missing: ({ signers }) => one(signers.filter(({ metrics }) => metrics === undefined).length),
  gatepass_passes_issued: total(({ issued }) => issued),
  gatepass_steps_failed: total(({ failed }) => failed),
  gatepass_transactions_reorged: total(({ reorged }) => reorged),
  gatepass_confirmation_seconds: ofSigners(({ totals }) => histogramOf(totals)),
  gatepass_stuck_passes: ({ shards }) => shards.map(({ shard, stuck }) => ({ labels: { shard }, value: stuck })),
  gatepass_dead_letters: ({ deadLetters }) => one(deadLetters),
  gatepass_reconciliation_age_seconds: ({ now, run }) => one(run && Math.max(0, now - run.night)),
  gatepass_reconciliation_differences: ({ run }) =>
    run === undefined ? [] : DIFFERENCES.map((kind) => ({ labels: { kind }, value: run.counts[kind] ?? 0 })),
  gatepass_shard_size_bytes: ({ shards }) => shards.map(({ shard, bytes }) => ({ labels: { shard }, value: bytes })),
  gatepass_shard_limit_bytes: ({ databaseMaxBytes }) => one(databaseMaxBytes),
  gatepass_shards_missing: ({ unreadShards }) => one(unreadShards),
  gatepass_webhook_lag_events: ({ webhooks: { lags } }) =>
    [...lags].map(([gatekeeper_network, value]) => ({ labels: { gatekeeper_network }, value })),
  gatepass_webhooks_failing: ({ webhooks: { failing } }) => one(failing),
  gatepass_webhooks_disabled: ({ webhooks: { disabled } }) => one(disabled),
  gatepass_webhooks_missing: ({ webhooks: { missing } }) => one(missing),
  gatepass_webhooks_unread: ({ webhooks: { unread } }) => one(unread),
};

/** Returns the metrics of a snapshot as text. */
export function metricsText(snapshot: Snapshot): string {
  return formatMetrics(FAMILIES.map((family) => ({ ...family, samples: SAMPLES[family.name](snapshot) })));
}
