import { type Call, type Script, type Step, VALUES, type ValueName } from './script.ts';

/** A script, and how its outcomes on the imitation and on the real runtime are compared. */
export interface Case {
  readonly title: string;
  readonly script: Script;
  /** Cases of one lane share something, so they run in turn. Undefined: the case shares nothing, and waits for time to pass. */
  readonly lane: 'objects' | 'database' | 'queues' | undefined;
  /**
   * Number of plays on the imitation, each in another order of events, if that order decides the outcome. The imitation must then have
   * the real outcome among its own. Undefined: the imitation has one outcome in every order.
   */
  readonly plays?: number;
  /** With `plays`: the number of different outcomes. The imitation breaks a rule of the platform if it has more. */
  readonly outcomes?: number;
}

/** One call at a time. */
export const inTurn = (...calls: readonly Call[]): Script => calls.map((call) => [call]);

/** Calls of one object, one at a time. */
export const callsOf = (object: string, ...calls: readonly (readonly Step[])[]): Script =>
  calls.map((steps) => [{ object, steps }]);

/** A case of one object, with one call at a time. */
export const onObject = (title: string, ...calls: readonly (readonly Step[])[]): Case => ({
  title,
  lane: 'objects',
  script: callsOf(title, ...calls),
});

/** Runs the steps, and shows what they throw. */
export const attempt = (...steps: readonly Step[]): Step => ['try', steps];

/** Returns a step for each value, none of which ends the call. */
export const withEachValue = (step: (value: ValueName) => readonly Step[]): Step[] =>
  (Object.keys(VALUES) as ValueName[]).map((value) => attempt(...step(value)));

export const HOUR_MS = 3_600_000;

export const TABLE: Step = ['sql', 'CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, text TEXT NOT NULL, n REAL)'];
