import { runProgram } from '../system/run-program.ts';

/** A fault in the code under test: other texts for parts of files. */
export type Fault = readonly Edit[];

interface Edit {
  /** Path below `src`. */
  readonly file: string;
  /** Text that the file has once. */
  readonly text: string;
  readonly becomes: string;
}

/** Runs `npm run simulate` with these options, on code with a fault if one is given. */
export function simulate(options: readonly string[], fault?: Fault) {
  const loaded = fault === undefined ? [] : ['--import', './test/simulation/with-fault.ts'];
  return runProgram([process.execPath, '--no-warnings', ...loaded, 'test/simulation/simulate.ts', ...options], {
    ...(fault !== undefined && { SIMULATED_FAULT: JSON.stringify(fault) }),
  });
}
