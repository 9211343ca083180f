import { runProgram } from '../system/run-program.ts';
import type { Fault } from './run-command.ts';

/** Plays races of issuances for one subject, on code with a fault if one is given. */
export const playRaces = (first: number, runs: number, fault?: Fault) => play('race-subjects.ts', [first, runs], fault);

/** Plays the freeze of a person with that many passes while a network is down, on code with a fault if one is given. */
export const playFreeze = (passes: number, fault?: Fault) => play('freeze-many.ts', [passes], fault);

function play(file: string, numbers: readonly number[], fault?: Fault) {
  const loaded = fault === undefined ? [] : ['--import', './test/simulation/with-fault.ts'];
  const program = [process.execPath, '--no-warnings', ...loaded, `test/simulation/${file}`];
  return runProgram([...program, ...numbers.map(String)], {
    ...(fault !== undefined && { SIMULATED_FAULT: JSON.stringify(fault) }),
  });
}
