import { type Compared, comparedOf, type Took, timed } from './compare-loads.ts';
import type { Contenders } from './contenders.ts';
import { generatePasses, issuanceRequests, type SeededPass } from './dataset.ts';
import { startCaller } from './load.ts';
import type { BenchContext } from './measure.ts';
import { runInTurn } from './rounds.ts';

const WARM_UP_COUNT = 200;

/** The passes of the database before the first issuance. */
export const seededPasses = (): readonly SeededPass[] => [...generatePasses(1_000, Math.floor(Date.now() / 1000))];

/**
 * Issuances per round, on a server that has just started. Messages stay in the queue for an hour, and the round is over before the
 * first alarms of the passes (ten seconds), so that no work after the answer is measured.
 */
export async function compareIssuances<Asked extends string>(
  { atEnd }: BenchContext,
  contenders: Contenders<Asked>,
  { rounds, issued }: { readonly rounds: number; readonly issued: number },
): Promise<Compared<Asked>> {
  const caller = await startCaller();
  atEnd(caller.stop);
  const seeded = seededPasses();
  let wallets = 0;
  const ask = async (name: Asked): Promise<Took> => {
    const server = await contenders.start(name, seeded);
    const some = (count: number) => ({ server, requests: issuanceRequests(count, ++wallets, contenders.headers) });
    await timed(caller, some(WARM_UP_COUNT));
    const took = await timed(caller, some(issued));
    await server.stop();
    return took;
  };
  const asks = Object.fromEntries(contenders.names.map((name) => [name, () => ask(name)]));
  return comparedOf(await runInTurn(asks as Record<Asked, () => Promise<Took>>, rounds));
}
