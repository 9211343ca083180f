import type { Case } from './case.ts';
import { type RealPlayer, realPlayer } from './real-player.ts';
import { type SimulatedPlayer, simulatedPlayer } from './simulated-player.ts';

/** Plays of a case whose outcome no order of events changes. */
const PLAYS_MIN = 3;
/** Plays in which the imitation must find the outcome of the real runtime. */
const PLAYS_MAX = 5_000;

/** Plays the cases on the imitation and on the real runtime. Returns the differences in words; empty: none. */
export async function differencesIn(cases: readonly Case[]): Promise<string[]> {
  const real = await realPlayer();
  const simulated = simulatedPlayer();
  const play = (each: Case) =>
    differencesInCase(each, cases.indexOf(each), real, simulated).catch((fault) => [`${each.title}: ${fault}`]);
  const playInTurn = async (lane: readonly Case[]) => {
    const found: string[][] = [];
    for (const each of lane) found.push(await play(each));
    return found.flat();
  };
  try {
    const lanes = Object.entries(Object.groupBy(cases, ({ lane }) => lane ?? 'waiting'));
    const found = lanes.map(async ([lane, all]) =>
      lane === 'waiting' ? (await Promise.all(all.map(play))).flat() : playInTurn(all),
    );
    return (await Promise.all(found)).flat();
  } finally {
    await simulated.stop();
    await real.stop();
  }
}

async function differencesInCase(
  { title, script, plays, outcomes }: Case,
  seed: number,
  real: RealPlayer,
  simulated: SimulatedPlayer,
): Promise<string[]> {
  // Only the real runtime knows the offset of a fault in a query: the interface of Node to SQLite does not tell it.
  const played = (await real.play(script)).map((group) =>
    group.map((outcome) => outcome.replaceAll(/ at offset \d+/g, '')),
  );
  const actual = JSON.stringify(played);
  const possible = new Set<string>();
  const wanted = plays ?? PLAYS_MIN;
  const most = plays === undefined ? PLAYS_MIN : PLAYS_MAX;
  for (let n = 0; n < wanted || (!possible.has(actual) && n < most); n += 1)
    possible.add(JSON.stringify(await simulated.play(script, seed * PLAYS_MAX + n)));
  const count = plays === undefined ? 1 : outcomes;
  return [
    ...(possible.has(actual) ? [] : [`${title}: ${difference(actual, nearestTo(actual, [...possible]))}`]),
    ...(count === undefined || possible.size === count
      ? []
      : [`${title}: the imitation has ${possible.size} outcomes instead of ${count}:\n${[...possible].join('\n')}`]),
  ];
}

/** Returns the one that differs last. */
function nearestTo(text: string, others: readonly string[]): string {
  return others.toSorted((a, b) => firstDifference(text, b) - firstDifference(text, a))[0] ?? '';
}

/** Characters that show a difference, before and after its beginning. */
const SHOWN = [100, 300] as const;

function difference(real: string, simulated: string): string {
  const from = firstDifference(real, simulated);
  const part = (text: string) => text.slice(Math.max(0, from - SHOWN[0]), from + SHOWN[1]);
  return `outcomes differ\n  real      …${part(real)}\n  imitation …${part(simulated)}`;
}

function firstDifference(a: string, b: string): number {
  let index = 0;
  while (index < a.length && a[index] === b[index]) index += 1;
  return index;
}
