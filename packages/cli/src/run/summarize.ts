import { type Plan, passNamed } from '../csv/plan-rows.ts';
import { codeOf, type Outcome, type Result, type ResultFile } from './result-file.ts';

/** Counts of the results of a run, with those of earlier runs. */
export interface Tally {
  readonly counts: Record<Outcome, number>;
  /** Number of failures by problem code or reason. */
  readonly failures: Map<string, number>;
}

export function tallyOf({ earlier }: ResultFile): Tally {
  const tally: Tally = { counts: { settled: 0, accepted: 0, failed: 0 }, failures: new Map() };
  for (const { outcome, code } of earlier.values()) addTo(tally, outcome, code);
  return tally;
}

export function addResults(tally: Tally, results: readonly Result[]): void {
  for (const { outcome, detail = '' } of results) addTo(tally, outcome, codeOf(detail));
}

function addTo({ counts, failures }: Tally, outcome: Outcome, code: string): void {
  counts[outcome] += 1;
  if (outcome === 'failed') failures.set(code, (failures.get(code) ?? 0) + 1);
}

/** Returns the lines that describe a file before anything is sent. */
export function summarizePlan(plan: Plan): string[] {
  const counts = new Map<string, number>();
  for (const name of plan.passes.keys()) {
    const { network } = passNamed(name).chain;
    counts.set(network, (counts.get(network) ?? 0) + 1);
  }
  return [...[...counts].map(([network, count]) => `to send, ${network}: ${count}`), ...skippedRows(plan)];
}

/** Returns the lines that end a run. */
export function summarize({ counts, failures }: Tally, plan: Plan, file: string): string[] {
  return [
    ...(counts.accepted > 0 ? [`accepted: ${counts.accepted}`] : []),
    `settled: ${counts.settled}`,
    `failed: ${counts.failed}`,
    ...[...failures].map(([code, count]) => `  ${code}: ${count}`),
    ...skippedRows(plan),
    `results: ${file}`,
  ];
}

function skippedRows({ skipped, faultCount }: Plan): string[] {
  const invalid = faultCount > 0 ? [`skipped, invalid: ${faultCount}`] : [];
  return [...[...skipped].map(([reason, count]) => `skipped, ${reason}: ${count}`), ...invalid];
}
