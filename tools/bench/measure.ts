/** Measures and their targets. */

/** One line of the table, or several lines that are measured together. */
export interface Measure {
  /** The name for `--only`. */
  readonly name: string;
  run(context: BenchContext): Promise<readonly Outcome[]>;
}

export interface BenchContext {
  /** Fewer and shorter rounds. */
  readonly quick: boolean;
  /** The earlier commit of `--before`. */
  readonly before?: string | undefined;
  /** An empty folder for this measure, deleted when the measure ends. */
  readonly folder: string;
  /** Registers an action for the end of the measure, also after a failure. The newest runs first. */
  atEnd(action: () => unknown): void;
  /** Prints progress. */
  say(line: string): void;
}

/** Begins a measure, or a part of one. Its services and nodes end with it, or after a failure with the rest of the command. */
export function beginPart(context: BenchContext): BenchContext & { end(): Promise<void> } {
  const actions: (() => unknown)[] = [];
  const end = async () => {
    for (const action of actions.splice(0)) await action();
  };
  context.atEnd(end);
  return { ...context, atEnd: (action) => void actions.unshift(action), end };
}

export interface Outcome {
  readonly what: string;
  /** Unit of `value` and of the peers' values: `requests/s`, `ms`, `bytes` … */
  readonly unit: string;
  readonly value: number;
  /** The values of the peers, measured in alternating rounds. */
  readonly peers?: Readonly<Record<string, number>>;
  /** Ratio to each peer: the median of the rounds' ratios. Without it, the quotient of the two values. */
  readonly ratios?: Readonly<Record<string, number>>;
  readonly targets: readonly Target[];
  /** Queries, rows, calls and messages of one operation. */
  readonly counts?: Readonly<Record<string, number>>;
  /** The value (`ours`) and the peers' values of each round, in order. */
  readonly rounds?: Readonly<Record<string, readonly number[]>>;
  readonly note?: string;
}

export interface Target {
  /** The value itself, or the name of a peer for the ratio to that peer. */
  readonly of: 'value' | (string & {});
  readonly atLeast?: number;
  readonly atMost?: number;
}

/** Returns the number that a target bounds; undefined if the peer does not exist. */
export function targetValueOf({ value, peers, ratios }: Outcome, { of }: Target): number | undefined {
  if (of === 'value') return value;
  const peer = peers?.[of];
  return ratios?.[of] ?? (peer === undefined ? undefined : value / peer);
}

/** Whether the target is met. A target without a measured number is not. */
export function isMet(outcome: Outcome, target: Target): boolean {
  const { atLeast = Number.NEGATIVE_INFINITY, atMost = Number.POSITIVE_INFINITY } = target;
  const number = targetValueOf(outcome, target);
  return number !== undefined && number >= atLeast && number <= atMost;
}
