import { runProgram } from '../system/run-program.ts';
import type { Fault } from './run-command.ts';

/** Plays races of issuances for one subject, on code with a fault if one is given. */
export function playRaces(first: number, runs: number, fault?: Fault) {
  const loaded = fault === undefined ? [] : ['--import', './test/simulation/with-fault.ts'];
  const program = [process.execPath, '--no-warnings', ...loaded, 'test/simulation/race-subjects.ts'];
  return runProgram([...program, String(first), String(runs)], {
    ...(fault !== undefined && { SIMULATED_FAULT: JSON.stringify(fault) }),
  });
}
