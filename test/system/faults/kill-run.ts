import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from './random.ts';
import type { Severity } from './random-faults.ts';
import type { Stage } from './stage.ts';
import { newSubject, type Subject } from './subject.ts';

export interface KillRun {
  readonly kills: number;
  /** How many issuances are to be accepted, on all networks together. */
  readonly issuances: number;
  readonly severity: Severity;
  /** No further life begins after it (Unix ms). */
  readonly deadline: number;
  onLife?(kills: number): void;
}

/** As long as a life lasts at the most, in milliseconds. */
const LIFE_MS = 2500;
/** Passes of earlier lives that are asked for again in each, as partners do that got no answer. */
const AGAIN = 2;

/** Partners ask for passes all the while, and the Worker dies at a random moment, again and again. */
export async function killRun(
  { facts, worker, asker, nodes }: Stage,
  { kills, issuances, severity, deadline, onLife }: KillRun,
  random: Random,
): Promise<{ readonly subjects: readonly Subject[]; readonly kills: number }> {
  const networks = Object.keys(facts.rpc);
  const subjects: Subject[] = [];
  const accepted = () => subjects.filter(({ model }) => model.accepted).length;
  nodes.become(severity);
  let died = 0;
  for (; died < kills && Date.now() < deadline; died++) {
    const lifeMs = random.below(LIFE_MS);
    // As many in each life as are left to be accepted, and some more for those that die with it.
    const due = Math.ceil((1.3 * Math.max(0, issuances - accepted())) / (kills - died));
    const fresh = Array.from({ length: due }, () => newSubject(random, random.pick(networks)));
    const again = subjects.length === 0 ? [] : Array.from({ length: AGAIN }, () => random.pick(subjects));
    subjects.push(...fresh);
    const asked = [...fresh, ...new Set(again)].map(async (subject) => {
      await sleep(random.below(lifeMs + 1));
      await asker.wish(subject, { to: 'issue' });
    });
    await sleep(lifeMs);
    await worker.kill();
    await Promise.all(asked);
    await worker.revive();
    onLife?.(died + 1);
  }
  return { subjects, kills: died };
}
