import { type Compared, compareLoads, joined, type Rounds } from './compare-loads.ts';
import { type Contender, type Contenders, loadOn, startAll } from './contenders.ts';
import type { SeededPass } from './dataset.ts';
import type { Request } from './load.ts';
import type { BenchContext } from './measure.ts';

interface Lots extends Rounds {
  /** Number of processes of each contender. */
  readonly lots: number;
}

/** The requests of each load, with the passes that each contender has. */
interface Loads<What extends string> {
  readonly seeded: readonly SeededPass[];
  readonly loads: Readonly<Record<What, readonly Request[]>>;
}

/**
 * Puts each load on several processes of each contender, a few rounds each. Two processes of the same code differ by up to ten percent for
 * as long as they live, so the rounds of one process would compare the processes, not the code.
 * @param check Is called with the contenders of each lot before its first round.
 */
export async function compareInLots<Asked extends string, What extends string>(
  context: BenchContext,
  contenders: Contenders<Asked>,
  { seeded, loads }: Loads<What>,
  { lots, ...rounds }: Lots,
  check: (servers: Readonly<Record<Asked, Contender>>) => Promise<void> = async () => {},
): Promise<Record<What, Compared<Asked>>> {
  const whats = Object.keys(loads) as What[];
  const found = Object.fromEntries(whats.map((what) => [what, [] as Compared<Asked>[]])) as Record<
    What,
    Compared<Asked>[]
  >;
  for (let lot = 0; lot < lots; lot++) {
    // No side always starts first.
    const names = lot % 2 === 0 ? contenders.names : contenders.names.toReversed();
    const servers = await startAll({ ...contenders, names }, seeded);
    await check(servers);
    for (const what of whats) found[what].push(await compareLoads(context, loadOn(servers, loads[what]), rounds));
    for (const { stop } of Object.values<Contender>(servers)) await stop();
  }
  return Object.fromEntries(whats.map((what) => [what, joined(found[what])])) as Record<What, Compared<Asked>>;
}
