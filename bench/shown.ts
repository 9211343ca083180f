import { table } from '../scripts/table.ts';
import { isMet, measured, type Outcome, type Target } from './measure.ts';

/** The outcomes as a table: a line for each target, and one for what has none. */
export function shown(outcomes: readonly Outcome[]): string {
  const rows = outcomes.flatMap((outcome) => {
    const { what, unit, value, targets, counts } = outcome;
    const head = [what, `${figure(value)} ${unit}`];
    const lines = targets.map((target) => [
      ...compared(outcome, target),
      wished(target),
      isMet(outcome, target) ? 'met' : 'MISSED',
    ]);
    const rest = Object.keys(outcome.peers ?? {}).filter((peer) => !targets.some(({ of }) => of === peer));
    const others = rest.map((of) => [...compared(outcome, { of }), '', '']);
    const counted = Object.entries(counts ?? {}).map(([name, number]) => ['', `${figure(number)} ${name}`]);
    const [first = [], ...more] = [...lines, ...others];
    return [[...head, ...first], ...more.map((line) => ['', '', ...line]), ...counted];
  });
  return table(['what', 'value', 'compared with', 'ratio', 'target', ''], rows);
}

function compared(outcome: Outcome, target: Target): [string, string] {
  if (target.of === 'value') return ['', ''];
  const peer = outcome.peers?.[target.of];
  const ratio = measured(outcome, target);
  return [`${target.of}: ${peer === undefined ? '?' : figure(peer)}`, ratio === undefined ? '?' : ratio.toFixed(2)];
}

function wished({ atLeast, atMost }: Target): string {
  return [atLeast === undefined ? [] : `≥ ${figure(atLeast)}`, atMost === undefined ? [] : `≤ ${figure(atMost)}`]
    .flat()
    .join(', ');
}

/** Three digits that count, and whole thousands as they are. */
function figure(number: number): string {
  if (!Number.isFinite(number)) return '?';
  if (Math.abs(number) >= 100) return Math.round(number).toLocaleString('en-US');
  return String(Number(number.toPrecision(3)));
}
