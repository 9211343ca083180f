/** What is measured, and what is asked of it. */

/** One line of the table, or several that are measured together. */
export interface Measure {
  /** For `--only`. */
  readonly name: string;
  run(context: BenchContext): Promise<readonly Outcome[]>;
}

export interface BenchContext {
  /** Fewer and shorter rounds. */
  readonly quick: boolean;
  /** An empty folder of this measure's own, which goes when the measure ends. */
  readonly folder: string;
  /** Has something undone when the measure ends, however it ends: newest first. */
  atEnd(action: () => unknown): void;
  /** Tells who watches how far it has come. */
  say(line: string): void;
}

export interface Outcome {
  readonly what: string;
  /** Of `value` and of each peer's: `requests/s`, `ms`, `bytes` … */
  readonly unit: string;
  readonly value: number;
  /** The same of those it is compared with, measured in alternating rounds. */
  readonly peers?: Readonly<Record<string, number>>;
  /** Value by peer: the median over the rounds of what each round gave. Without it, the quotient of the two numbers. */
  readonly ratios?: Readonly<Record<string, number>>;
  readonly targets: readonly Target[];
  /** Queries, rows, calls, messages: of one operation. */
  readonly counts?: Readonly<Record<string, number>>;
  /** What each round gave, in order, of the value (`ours`) and of each peer. */
  readonly rounds?: Readonly<Record<string, readonly number[]>>;
  readonly note?: string;
}

export interface Target {
  /** The value itself, or the name of a peer: then its ratio to that one. */
  readonly of: 'value' | (string & {});
  readonly atLeast?: number;
  readonly atMost?: number;
}

/** What a target looks at; undefined when there is no such peer. */
export function targetValueOf({ value, peers, ratios }: Outcome, { of }: Target): number | undefined {
  if (of === 'value') return value;
  const peer = peers?.[of];
  return ratios?.[of] ?? (peer === undefined ? undefined : value / peer);
}

/** Whether the target is met; one that nothing was measured for is not. */
export function isMet(outcome: Outcome, target: Target): boolean {
  const { atLeast = Number.NEGATIVE_INFINITY, atMost = Number.POSITIVE_INFINITY } = target;
  const number = targetValueOf(outcome, target);
  return number !== undefined && number >= atLeast && number <= atMost;
}
