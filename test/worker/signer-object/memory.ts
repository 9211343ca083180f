import type { GatekeeperNetwork } from '../../../src/network/slot.ts';
import type { SubmittedStep } from '../../../src/pass/step.ts';
import { SIGNER } from '../../../src/signer-object/lanes.ts';
import { addSteps } from '../../../src/signer-object/queue.ts';
import { nextAlarm } from '../../../src/signer-object/schedule.ts';
import type { StepEntry, StoredTransaction } from '../../../src/signer-object/schema.ts';
import { type Signer, signerMemory } from '../../../src/signer-object/signer.ts';
import { findStep } from '../../../src/signer-object/step-queries.ts';
import { aStep } from '../chain/ethereum/node.ts';

/** The memory of a signer, and the one that a signer that has just started reads from the same rows. */

export const LANES = ['lane-one', 'lane-two'] as GatekeeperNetwork[];

/** Returns the same signer after a restart: nothing but its storage is left. */
export const restarted = (signer: Signer): Signer => ({
  ...signer,
  ...signerMemory(signer.storage, signer.name, signer.network, async () => []),
});

/** Returns a transaction that no node sees. */
export const aTransaction = (maxCost = 10): StoredTransaction => ({
  identifier: `0x${crypto.randomUUID()}`,
  bytes: '0x2',
  maxCost,
  expectedOnChain: { state: 'ACTIVE' },
  signedAtMs: 1,
});

/** Returns all that the signer knows from its memory, as far as rows have it, as of that time. */
export function memoryOf(signer: Signer, now: number) {
  const { steps, waits, spending } = signer;
  const unmined = [...steps.requeued(), ...steps.inFlight('unsent', 1_000), ...steps.inFlight('sent', 1_000)];
  return {
    lanes: steps.lanes.inTurn().toSorted(),
    waiting: LANES.map((lane) => ([0, 1, 2] as const).map((rank) => steps.lanes.countOf(lane, rank))),
    // A restart forgets only that a node has accepted a transaction.
    unmined: unmined
      .map(({ stage, answer, ...entry }) => ({ ...entry, stage: stage === 'sent' ? 'unsent' : stage }))
      .toSorted((a, b) => a.seq - b.seq),
    outcomes: [...steps.outcomes()].map(({ id }) => id).toSorted(),
    freeNonces: steps.unusedNonces(0, 30),
    spent: [SIGNER, ...LANES].map((scope) => spending.budgetOf(scope, now).spent),
    waits: [SIGNER, ...LANES].map((scope) => waits.of(scope).toSorted((a, b) => (a.code < b.code ? -1 : 1))),
    alarm: nextAlarm(signer, now),
  };
}

export const BLOCK = { block: 7, hash: '0x7' };

/** The steps of a signer, one in each state. */
export interface World {
  readonly waiting: StepEntry;
  readonly suspended: StepEntry;
  readonly unsent: StepEntry;
  readonly sent: StepEntry;
  readonly requeued: StepEntry;
  readonly confirmed: StepEntry;
  /** Final, and its outcome is unacknowledged. */
  readonly final: StepEntry;
}

const STATES = ['waiting', 'suspended', 'unsent', 'sent', 'requeued', 'confirmed', 'final'] as const;
const [LANE = '' as GatekeeperNetwork] = LANES;

/** Adds a step in each state, and returns their entries. */
export function aWorld(signer: Signer, now: number): World {
  const { steps } = signer;
  const added = STATES.map((_, index): SubmittedStep => {
    const step = aStep({ gatekeeperNetwork: LANES[index % 2] as string });
    return { ...step, rank: index === 0 ? 2 : 1, client: 'one' };
  });
  addSteps(signer, added, now);
  const entryOf = (state: (typeof STATES)[number]) => {
    const id = added[STATES.indexOf(state)]?.id as string;
    return steps.inMemory(id) ?? (findStep(signer.storage.sql, signer.network, id) as StepEntry);
  };
  steps.postpone(entryOf('suspended'), { code: 'client-suspended' }, now);
  for (const [nonce, state] of (['final', 'confirmed', 'requeued', 'sent', 'unsent'] as const).entries())
    steps.storeSigned(entryOf(state), aTransaction(), nonce, now);
  for (const state of ['final', 'confirmed'] as const)
    steps.setConfirmed(entryOf(state), { type: 'confirmed', transaction: '0x1', onChain: { state: 'ACTIVE' } }, BLOCK);
  steps.setFinal(entryOf('final'), now, 4);
  steps.setSent(entryOf('sent'));
  steps.requeue(entryOf('requeued'), requeueing(2), now);
  steps.postpone(entryOf('requeued'), { code: 'nonce-not-final' }, now);
  signer.waits.begin(SIGNER, { code: 'nodes-unanswered' }, now);
  signer.waits.begin(LANE, { code: 'not-authorized' }, now);
  return Object.fromEntries(STATES.map((state) => [state, entryOf(state)])) as unknown as World;
}

export const requeueing = (nonce: number | undefined) => ({
  nonce,
  notBefore: 0,
  reason: undefined,
  noncesGivenUp: 1,
  ineffectiveAttempts: 0,
  known: { state: 'NONE' } as const,
  correction: -5,
});
