import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultEnvironment } from './fault-environment.ts';
import { FAILING_SHARE } from './faulty-receiver.ts';
import type { Random } from './random.ts';
import type { Severity } from './random-faults.ts';
import { RANDOM_KMS_FAULTS } from './random-kms-faults.ts';
import { newTestedPass, type TestedPass } from './tested-pass.ts';

export interface KillRun {
  readonly kills: number;
  /** The target number of accepted issuances, summed over all networks. */
  readonly issuances: number;
  readonly severity: Severity;
  /** The time after which the run kills no more (Unix ms). */
  readonly deadline: number;
  onKill?(kills: number): void;
}

/** The maximum time between a start and the next kill. */
const LIFE_MS = 2500;
/** The share of the requests that have an answer when the kill comes, also on a slow machine. The others are under way. */
const ANSWERED = 0.8;
/** The number of older passes to request again before each kill, as partners do that got no answer. */
const REPEATED_PASSES = 2;

/** Kills the Worker at random moments while partners request passes. Resolves to the passes and the number of kills. */
export async function runKills(
  { facts, worker, modelClient, nodes, kms, receivers }: FaultEnvironment,
  { kills, issuances, severity, deadline, onKill }: KillRun,
  random: Random,
): Promise<{ readonly passes: readonly TestedPass[]; readonly kills: number }> {
  const networks = Object.keys(facts.rpc);
  const passes: TestedPass[] = [];
  const accepted = () => passes.filter(({ model }) => model.accepted).length;
  nodes.setSeverity(severity);
  kms?.setFaults(RANDOM_KMS_FAULTS);
  receivers.failing.setFailures(FAILING_SHARE);
  let died = 0;
  for (; died < kills && Date.now() < deadline; died++) {
    const lifeMs = random.below(LIFE_MS);
    // Some requests fail with the kill, so the run makes more requests between two kills than the target needs.
    const due = Math.ceil((1.3 * Math.max(0, issuances - accepted())) / (kills - died));
    const fresh = Array.from({ length: due }, () => newTestedPass(random, random.pick(networks)));
    const again = passes.length === 0 ? [] : Array.from({ length: REPEATED_PASSES }, () => random.pick(passes));
    passes.push(...fresh);
    const asking = [...fresh, ...new Set(again)];
    const enough = Promise.withResolvers<void>();
    let answered = 0;
    const asked = asking.map(async (pass) => {
      await sleep(random.below(lifeMs + 1));
      await modelClient.change(pass, { to: 'issue' });
      answered += 1;
      if (answered >= ANSWERED * asking.length) enough.resolve();
    });
    await Promise.all([sleep(lifeMs), asking.length > 0 && enough.promise]);
    await worker.kill();
    await Promise.all(asked);
    await worker.restart();
    onKill?.(died + 1);
  }
  return { passes, kills: died };
}
