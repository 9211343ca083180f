import type { MeasureResult, Results } from '../bench/results.ts';
import { ACCENT, bars, MUTED, PEERS, picture, text } from './svg.ts';

/** The outcomes that have both peers, by the measure that has them. */
const SHOWN = [
  ['fetch', 'fetch'],
  ['search', 'search, first page'],
  ['search', 'search, by after at depth 100,000'],
  ['accept', 'issue accepted'],
] as const;

type Outcome = MeasureResult['outcomes'][number];

function outcomeOf({ measures }: Results, measure: string, what: string): Outcome {
  const outcome = measures[measure]?.outcomes.find((each) => each.what === what);
  if (outcome === undefined) throw new Error(`the results have no "${what}" in ${measure}`);
  return outcome;
}

const TITLE = 'Requests per second, beside the least possible work and a mainstream service';

/** Draws the requests per second of the newest results. */
export function drawSpeed(results: Results): string {
  const groups = SHOWN.map(([measure, what]) => {
    const { value, peers } = outcomeOf(results, measure, what);
    const { floor = Number.NaN, mainstream = Number.NaN } = peers ?? {};
    return { what, rates: { Gatepass: value, floor, mainstream } };
  });
  const longest = Math.max(...groups.flatMap(({ rates }) => Object.values(rates)));
  const parts: string[] = [];
  let top = 56;
  for (const { what, rates } of groups) {
    parts.push(text(20, top + 11, what, { weight: 600 }));
    const drawn = bars(
      top + 22,
      Object.entries(rates).map(([label, value], index) => ({
        ...{ label, value, shown: `${Math.round(value).toLocaleString('en-US')}/s` },
        fill: [ACCENT, ...PEERS][index] ?? ACCENT,
      })),
      longest,
    );
    parts.push(...drawn.parts);
    top = drawn.end + 16;
  }
  const { processor, cores } = results.machine;
  parts.push(text(20, top + 6, `${processor}, ${cores} cores, which also run the load`, { size: 12, fill: MUTED }));
  return picture(TITLE, top + 22, parts);
}
