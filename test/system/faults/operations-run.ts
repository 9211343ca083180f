import { setTimeout as sleep } from 'node:timers/promises';
import { injectChainFault } from './chain-faults.ts';
import type { FaultEnvironment } from './fault-environment.ts';
import { FAILING_SHARE } from './faulty-receiver.ts';
import { nextOperation } from './operations.ts';
import type { Random } from './random.ts';
import type { Severity } from './random-faults.ts';
import { RANDOM_KMS_FAULTS } from './random-kms-faults.ts';
import { newTestedPass, type TestedPass } from './tested-pass.ts';

export interface OperationsRun {
  readonly operations: number;
  /** The maximum rate of operations. */
  readonly perSecond: number;
  /** The number of passes in use at a time. */
  readonly crowd: number;
  readonly severity: Severity;
  /** The mean time between two faults of the chains themselves, or undefined for no such faults. */
  readonly chainFaultEveryMs?: number | undefined;
  /** The time after which no operation starts (Unix ms). */
  readonly deadline: number;
  onProgress?(operations: number): void;
  onChainFault?(what: string): void;
}

const CONCURRENT_OPERATIONS = 24;

/** Runs random operations on many passes at once, but one at a time on each pass. Resolves to the passes. */
export async function runOperations(
  environment: FaultEnvironment,
  run: OperationsRun,
  random: Random,
): Promise<readonly TestedPass[]> {
  const { facts, modelClient, nodes, kms, receivers } = environment;
  const networks = Object.keys(facts.rpc);
  const all: TestedPass[] = [];
  const idle: TestedPass[] = [];
  const join = () => {
    const pass = newTestedPass(random, random.pick(networks));
    all.push(pass);
    idle.push(pass);
  };
  for (let count = 0; count < run.crowd; count++) join();

  nodes.setSeverity(run.severity);
  kms?.setFaults(RANDOM_KMS_FAULTS);
  receivers.failing.setFailures(FAILING_SHARE);
  const over = new AbortController();
  const chainFaultsEnd = injectChainFaults(environment, run, random.fork(), over.signal);
  const started = Date.now();
  let begun = 0;
  const work = async () => {
    while (begun < run.operations && Date.now() < run.deadline) {
      const turn = begun++;
      await sleep(Math.max(0, started + (turn * 1000) / run.perSecond - Date.now()));
      const [pass] = idle.splice(random.below(idle.length), 1) as [TestedPass];
      await nextOperation(random, pass)(modelClient, pass);
      run.onProgress?.(turn + 1);
      // A revoked pass no longer changes, so a new pass often replaces it. The comparison includes both.
      if (pass.model.candidates.every(({ state }) => state === 'REVOKED') && random.chance(0.7)) join();
      else idle.push(pass);
    }
  };
  await Promise.all(Array.from({ length: Math.min(CONCURRENT_OPERATIONS, run.crowd - 1) }, work));
  over.abort();
  await chainFaultsEnd;
  return all;
}

async function injectChainFaults(
  { facts }: FaultEnvironment,
  { chainFaultEveryMs: every, onChainFault }: OperationsRun,
  random: Random,
  over: AbortSignal,
): Promise<void> {
  if (every === undefined) return;
  while (!over.aborted) {
    await sleep(every / 2 + random.below(every), undefined, { signal: over }).catch(() => undefined);
    if (!over.aborted) onChainFault?.(await injectChainFault(facts, random));
  }
}
