import { formatTable } from '../../terminal/print.ts';
import { isMet, type Outcome, type Target, targetValueOf } from './measure.ts';

/** Returns the outcomes as a table: one line per target, and one line for an outcome without a target. */
export function formatOutcomes(outcomes: readonly Outcome[]): string {
  const rows = outcomes.flatMap((outcome) => {
    const { what, unit, value, targets, counts } = outcome;
    const head = [what, `${formatNumber(value)} ${unit}`];
    const lines = targets.map((target) => [
      ...comparisonCells(outcome, target),
      targetText(target),
      isMet(outcome, target) ? 'met' : 'MISSED',
    ]);
    const rest = Object.keys(outcome.peers ?? {}).filter((peer) => !targets.some(({ of }) => of === peer));
    const others = rest.map((of) => [...comparisonCells(outcome, { of }), '', '']);
    const counted = Object.entries(counts ?? {}).map(([name, number]) => ['', `${formatNumber(number)} ${name}`]);
    const [first = [], ...more] = [...lines, ...others];
    return [[...head, ...first], ...more.map((line) => ['', '', ...line]), ...counted];
  });
  return formatTable(['what', 'value', 'compared with', 'ratio', 'target', ''], rows);
}

function comparisonCells(outcome: Outcome, target: Target): [string, string] {
  if (target.of === 'value') return ['', ''];
  const peer = outcome.peers?.[target.of];
  const ratio = targetValueOf(outcome, target);
  return [
    `${target.of}: ${peer === undefined ? '?' : formatNumber(peer)}`,
    ratio === undefined ? '?' : ratio.toFixed(2),
  ];
}

function targetText({ atLeast, atMost }: Target): string {
  return [
    atLeast === undefined ? [] : `≥ ${formatNumber(atLeast)}`,
    atMost === undefined ? [] : `≤ ${formatNumber(atMost)}`,
  ]
    .flat()
    .join(', ');
}

/** Returns the number with three significant digits, or with all digits from a thousand on. */
function formatNumber(number: number): string {
  if (!Number.isFinite(number)) return '?';
  if (Math.abs(number) >= 100) return Math.round(number).toLocaleString('en-US');
  return String(Number(number.toPrecision(3)));
}
