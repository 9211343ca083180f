import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { compareLoads } from '../compare-loads.ts';
import { prepareContenders } from '../contenders.ts';
import { fetchRequests, generatePasses, searchRequests } from '../dataset.ts';
import { insertFillerPasses } from '../filler-passes.ts';
import type { Request } from '../load.ts';
import type { Measure, Outcome } from '../measure.ts';
import { countOperations } from '../operation-counts.ts';
import { median, medianRatio } from '../rounds.ts';

const FEW_PASSES_COUNT = 10_000;
const MANY_PASSES_COUNT = 5_000_000;
/** The number of requested passes, evenly spread among the others. */
const REQUESTED_PASSES_COUNT = 1_000;

/** Fetch and search for a partner with few passes, and with many. */
export const growthMeasure: Measure = {
  name: 'growth',
  async run(context) {
    const { quick, folder, atEnd, say } = context;
    const most = quick ? MANY_PASSES_COUNT / 10 : MANY_PASSES_COUNT;
    const contenders = await prepareContenders({ ...context, folder: join(folder, 'built') });
    const now = Math.floor(Date.now() / 1000);
    const startWith = async (count: number) => {
      const asked = [...generatePasses(REQUESTED_PASSES_COUNT, now, count / 100)];
      const server = await contenders.start('ours', asked, (db) =>
        insertFillerPasses(db, count - REQUESTED_PASSES_COUNT, now),
      );
      atEnd(server.stop);
      say(`${count.toLocaleString('en-US')} passes are stored`);
      // The oldest passes have no full page after them.
      const ids = asked
        .slice(50)
        .filter((_, index) => index % 5 === 0)
        .map(({ id }) => id);
      return {
        server,
        fetches: fetchRequests(asked, contenders.headers),
        searches: searchRequests([undefined, ...ids], contenders.headers),
      };
    };
    mkdirSync(join(folder, 'built'), { recursive: true });
    const few = await startWith(FEW_PASSES_COUNT);
    const many = await startWith(most);
    const rounds = quick ? { rounds: 5, seconds: 2 } : { rounds: 9, seconds: 4 };
    const outcomes: Outcome[] = [];
    for (const what of ['fetches', 'searches'] as const) {
      const loads = { many: { ...many, requests: many[what] }, few: { ...few, requests: few[what] } };
      const { speed } = await compareLoads(context, loads, rounds);
      outcomes.push({
        what: `${what === 'fetches' ? 'fetch' : 'search'} with ${most.toLocaleString('en-US')} passes`,
        unit: 'requests/s',
        value: median(speed.many),
        peers: { 'with 10,000': median(speed.few) },
        ratios: { 'with 10,000': medianRatio(speed.many, speed.few) },
        rounds: speed,
        targets: [{ of: 'with 10,000', atLeast: what === 'searches' ? 0.95 : 1 / 1.1 }],
      });
    }
    const rowsOf = async ({ server }: typeof few, requests: readonly Request[]) => {
      await server.stop();
      const counted = join(folder, `counted-${server.baseUrl.split(':').at(-1)}-${requests.length}`);
      const counts = await countOperations({ ...context, folder: counted }, server.options, requests.slice(0, 100));
      return counts['d1.rows-read'] ?? Number.NaN;
    };
    for (const what of ['fetches', 'searches'] as const) {
      outcomes.push({
        what: `${what === 'fetches' ? 'fetch' : 'search'} with ${most.toLocaleString('en-US')} passes, rows read`,
        unit: 'rows',
        value: await rowsOf(many, many[what]),
        peers: { 'with 10,000': await rowsOf(few, few[what]) },
        targets: [{ of: 'with 10,000', atLeast: 1, atMost: 1 }],
      });
    }
    return outcomes;
  },
};
