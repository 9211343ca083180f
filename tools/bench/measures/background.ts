import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../../../terminal/failure.ts';
import { startCaller } from '../load.ts';
import type { BenchContext, Measure, Outcome } from '../measure.ts';
import { issueAll } from '../settlement/issue-all.ts';
import {
  CHAINS,
  SETTLEMENT_NETWORKS,
  type SettlementNetwork,
  startSettlementLocalnet,
} from '../settlement/localnet.ts';
import { buildService, type Service, startService } from '../settlement/service.ts';

const PASSES_COUNT = 1_000;
const POLL_INTERVAL_MS = 500;
const TIMEOUT_MS = 180_000;

/**
 * The work of an issuance in database, objects, queue and nodes, from its POST until it is settled, acknowledged and final and no
 * alarm is left: the mean of a thousand simultaneous ones.
 */
export const backgroundMeasure: Measure = {
  name: 'background',
  async run(context) {
    const built = await buildService(context, 'tools/bench/counting/worker.ts');
    const caller = await startCaller();
    context.atEnd(caller.stop);
    const outcomes: Outcome[] = [];
    for (const { network, expiryTimestamp } of VARIANTS) {
      const service = await startService(context, { built, localnet: await startSettlementLocalnet(context, network) });
      // The first issuance creates the tables of its signer and fetches the issuer's keys.
      await issueAll(service, caller, network, 1, { connections: 1, expiryTimestamp });
      await waitUntilQuiet(service);
      await issueAll(service, caller, network, PASSES_COUNT, { expiryTimestamp });
      const counts = await waitUntilQuiet(service);
      await service.stop();
      outcomes.push(...outcomesOf({ network, expiryTimestamp }, countsPerPass(counts), context));
    }
    return outcomes;
  },
};

interface Variant {
  readonly network: SettlementNetwork;
  /** Unix seconds. */
  readonly expiryTimestamp?: number | undefined;
}

/** An expiry costs another alarm. The year keeps its events out of the measurement. */
const VARIANTS: readonly Variant[] = [
  ...SETTLEMENT_NETWORKS.map((network) => ({ network })),
  { network: 'sepolia', expiryTimestamp: Math.floor(Date.now() / 1000) + 365 * 24 * 3600 },
];

/** The rows written per issuance before there was a feed (0.2.0), without transactions recorded as sent. */
const ROWS_BEFORE_FEED: Readonly<Record<SettlementNetwork, number>> = { sepolia: 24.0, devnet: 23.3 };
/** The index for searches by network: an entry of the new pass, and another one for its new state. */
const INDEX_OF_NETWORKS_ROWS = 2;
const USAGE_ROWS_MAX = 0.05;
/** The totals are one row for each commit that confirms, the funds one row for each read, and the counts of all isolates one every five seconds. */
const METRICS_ROWS_MAX = 0.1;
/** The entry and its key. A trail sets one alarm for all entries of a day. */
const AUDIT_ROWS_MAX = 2.05;
/** The rows of a pass whose transaction is confirmed when its object first hears of it: request, step, outcome, published. */
const PASS_ROWS = 4;

type Counts = Readonly<Record<string, number>>;

/** Returns the counts at the time when no object has an alarm that is part of the work. */
async function waitUntilQuiet({ baseUrl }: Service): Promise<Counts> {
  const all: Record<string, number> = {};
  let ahead: Counts = {};
  for (const deadline = Date.now() + TIMEOUT_MS; Date.now() < deadline; await sleep(POLL_INTERVAL_MS)) {
    const response = await fetch(`${baseUrl}/__counts`);
    const { counts, alarms } = (await response.json()) as { counts: Counts; alarms: Counts };
    for (const [name, times] of Object.entries(counts)) all[name] = (all[name] ?? 0) + times;
    ahead = alarms;
    if (Object.values(ahead).every((objects) => objects === 0)) return all;
  }
  throw new Failure(`the objects do not become idle: ${JSON.stringify(ahead)} have an alarm`);
}

function countsPerPass(counts: Counts): Counts {
  const each = Object.entries(counts).map(([name, times]) => [name, Number((times / PASSES_COUNT).toPrecision(4))]);
  return Object.fromEntries(each);
}

function outcomesOf({ network, expiryTimestamp }: Variant, counts: Counts, { say }: BenchContext): Outcome[] {
  const of = (name: string) => counts[name] ?? 0;
  const chain = CHAINS[network] + (expiryTimestamp === undefined ? '' : ' with an expiry');
  const rowsMax =
    ROWS_BEFORE_FEED[network] + INDEX_OF_NETWORKS_ROWS + USAGE_ROWS_MAX + (expiryTimestamp === undefined ? 1.1 : 2.1);
  // Depending on the speed of the machine, more or fewer passes record a transaction as sent before it is confirmed, which costs
  // two rows. They are left out, so that runs can be compared.
  const recordedAsSent = of('rows.pass: put pass') - PASS_ROWS;
  const rows = of('d1.rows-written') + of('rows.pass') + of('rows.signer') - 2 * recordedAsSent;
  const feedRows = of('d1.rows-written: INSERT INTO events') + of('d1.rows-written: INSERT INTO feeds');
  // Searches checked whether all are ACTIVE, each a request with one statement.
  const statements = of('d1.statements') - (of('requests') - 1);
  say(`${chain}: ${rows.toFixed(1)} rows written per pass`);
  const line = (what: string, value: number, atMost?: number): Outcome => ({
    what: `${what} per issuance, ${chain}`,
    unit: '',
    value,
    targets: atMost === undefined ? [] : [{ of: 'value', atMost }],
  });
  return [
    { ...line("calls of pass objects, the POST's included", of('calls.PASSES'), 5), counts },
    line("D1 statements, the POST's included", statements, 3),
    line("D1 statements, the POST's not included", statements - 1),
    line('queue messages', of('queue.messages'), 2),
    line('rows written, without transactions recorded as sent', rows, rowsMax),
    line('rows of D1 written for the feed', feedRows, 1.1),
    line('rows written for the audit trail', of('rows.audit'), AUDIT_ROWS_MAX),
    line('rows of D1 written for the usage', of('d1.rows-written: INSERT INTO usage'), USAGE_ROWS_MAX),
    line(
      'rows written for the metrics',
      of('rows.signer: put totals') + of('rows.signer: put funds') + of('rows.metrics'),
      METRICS_ROWS_MAX,
    ),
    line('RPC requests', of('rpc.requests'), 0.1),
  ];
}
