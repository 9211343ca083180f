import { RpcFault } from '../chain/port.ts';
import type { Milliseconds } from '../lib/brand.ts';
import { SECOND_MS } from '../lib/time.ts';
import { logFault } from '../log/log.ts';
import type { OnChain } from '../pass/pass.ts';
import { isSatisfied, passIdOf } from '../pass/step.ts';
import { STEP_KINDS } from '../pass/step-kinds.ts';
import { commit } from './commit.ts';
import type { Signer } from './signer.ts';
import { findStep, lacksOwnSteps, stepsOf } from './step-queries.ts';
import type { StepEntry } from './step-row.ts';
import { addToTotals, type Growth, noGrowth } from './totals.ts';
import { countConfirmation, EXPIRED_RETRY_MS, endOrRequeue } from './track-in-flight.ts';
import { SIGNER } from './waits.ts';

/** A node that is only late shows a transaction within this time. */
export const WITHHELD_AFTER_MS = 15 * SECOND_MS;
/** Maximum number of steps that one run settles. */
const RUN_MAX_STEPS = 100;

/**
 * Ends the steps about whose transactions the nodes withhold something, by the state of their passes in final blocks: of two endpoints,
 * or of the only one. Once the final chain has used the nonce of a step, that state shows whether the step had its effect,
 * whatever the nodes say about its transactions. A step without its effect is signed again. On a chain without nonces, it ends none.
 * Runs must not overlap with tracking. If the nodes do not answer, the next run tries again.
 */
export async function settleWithheld(signer: Signer, now: Milliseconds): Promise<void> {
  const { name, chain, withheld } = signer;
  // Something else has ended these, and what the nodes withheld does not concern the next step of the pass.
  for (const id of withheld.keys()) if (id !== SIGNER && entryOf(signer, id) === undefined) withheld.delete(id);
  const late = [...withheld].filter(([id, { since }]) => id !== SIGNER && now - since >= WITHHELD_AFTER_MS);
  const [fresh] = late.filter(([, { isLogged }]) => !isLogged);
  if (fresh !== undefined)
    logFault('signer.transactions_unreadable', fresh[1].why, { signer: name, transactions: late.length });
  for (const [id, each] of late) withheld.set(id, { ...each, isLogged: true });
  const entries = late.flatMap(([id]) => entryOf(signer, id) ?? []);
  if (entries.every(({ nonce }) => nonce === undefined)) return;
  try {
    const final = await chain.finalNonce();
    if (final === undefined) return;
    const ended = entries.filter(({ nonce = final.nonce }) => nonce < final.nonce).slice(0, RUN_MAX_STEPS);
    const asked = ended.map((entry) => ({ entry, ...entry.step }));
    const observed = ended.length === 0 ? [] : await chain.observe(asked);
    commit(signer, () => {
      const growth = noGrowth();
      for (const [{ entry }, { final: shown }] of observed) {
        if (shown !== undefined && (shown.asOf ?? 0) >= final.asOf) settle(signer, entry, shown, growth, now);
        else keep(signer, entry);
      }
      addToTotals(signer.storage, growth);
    });
  } catch (fault) {
    if (!(fault instanceof RpcFault)) throw fault;
    logFault('signer.nonces_unread', fault, { signer: name });
  }
}

/** Returns the entry of a signed step; undefined if it is not in flight. */
function entryOf({ steps, storage, network }: Signer, id: string): StepEntry | undefined {
  const entry = steps.inMemory(id) ?? findStep(storage.sql, network, id);
  return entry === undefined || entry.stage === 'waiting' || entry.stage === 'final' ? undefined : entry;
}

/** Puts a step about which nothing is decided behind the others. */
function keep({ withheld }: Signer, { step: { id } }: StepEntry): void {
  const each = withheld.get(id);
  if (each === undefined) return;
  withheld.delete(id);
  withheld.set(id, each);
}

function settle(signer: Signer, entry: StepEntry, final: OnChain, growth: Growth, now: Milliseconds): void {
  const { steps, withheld } = signer;
  if (!hadEffect(signer, entry, final)) {
    endOrRequeue(signer, entry, { from: now + EXPIRED_RETRY_MS, asOf: final.asOf ?? 0 }, now);
  } else {
    if (entry.stage !== 'confirmed') {
      countConfirmation(entry, growth);
      // A block includes one of its transactions. Nodes keep the newest one, because it pays most.
      const transaction = entry.signed.at(-1)?.identifier ?? '';
      steps.setConfirmed(entry, { type: 'confirmed', transaction, onChain: final }, { block: final.asOf ?? 0 });
    }
    steps.setFinal(entry, now);
  }
  withheld.delete(entry.step.id);
}

/**
 * Whether the step had its effect, as far as the final state shows. A confirmed step that gives access had it: if the state lacks it,
 * others may have taken the access away, and signing again would give it back. The pass then follows the chain. Of a
 * pass with a later step in flight, the state says nothing about an earlier one.
 */
function hadEffect({ storage: { sql } }: Signer, { step, stage }: StepEntry, final: OnChain): boolean {
  if (stage !== 'confirmed') return isSatisfied(step, final);
  const pass = passIdOf(step.id);
  if (!STEP_KINDS[step.kind].takesAccessAway || !lacksOwnSteps(sql, pass, final)) return true;
  return stepsOf(sql, pass).some(({ status }) => status === 'signed');
}
