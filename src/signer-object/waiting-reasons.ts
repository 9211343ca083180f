import { STEP_KINDS, type StepKind } from '../pass/step-kinds.ts';
import { firstReason, type Reason, reasonRow, type StuckReason } from '../pass/wait-reasons.ts';
import type { Signer } from './signer.ts';
import { waitCounts } from './step-queries.ts';
import { type Scope, SIGNER } from './waits.ts';

/** Number of steps by the code of the reason for which they wait. */
export type WaitingByReason = Readonly<Partial<Record<StuckReason['code'], number>>>;

/** Maximum number of rows that one count reads. Beyond it, steps count with the reasons of their lane and the signer, or `turn`. */
const MAX_ROWS = 1_000;

/**
 * Returns the number of unsigned steps, and of signed ones that no node has accepted, by reason. A step with several reasons counts
 * with the first one, as `stuckReasonFor` shows it; one without a reason waits for its turn.
 */
export function waitingByReason({ storage, steps, waits, isCompromised }: Signer): WaitingByReason {
  const sums: Partial<Record<StuckReason['code'], number>> = {};
  const add = (code: StuckReason['code'], n: number) => {
    if (n > 0) sums[code] = (sums[code] ?? 0) + n;
  };
  const shared = (scopes: readonly Scope[], kind: StepKind | undefined): Reason[] => {
    const isSpared = kind !== undefined && STEP_KINDS[kind].mayUseReserve;
    const all: Reason[] = scopes.flatMap((scope) => waits.of(scope));
    const concerning = all.filter(({ code }) => !(isSpared && reasonRow(code).sparesReserve));
    return isCompromised ? [{ code: 'key-compromised' }, ...concerning] : concerning;
  };
  const known = Map.groupBy(waitCounts(storage.sql, MAX_ROWS), ({ lane }) => lane);
  for (const lane of steps.lanes.inTurn()) {
    let others = steps.lanes.countAll(lane);
    for (const { kind, code, n } of known.get(lane) ?? []) {
      const reasons = [...shared([SIGNER, lane], kind), ...(code === null ? [] : [{ code }])];
      add(firstReason<Reason>(reasons)?.code ?? 'turn', n);
      others -= n;
    }
    add(firstReason(shared([SIGNER, lane], undefined))?.code ?? 'turn', others);
  }
  const unsent = steps.inFlight('unsent', Number.POSITIVE_INFINITY);
  for (const { reason } of unsent) {
    const lasting = waits.of(SIGNER).filter(({ code }) => !reasonRow(code).sparesReserve);
    add(firstReason<Reason>([...lasting, ...(reason ? [reason] : [])])?.code ?? 'unsent', 1);
  }
  return sums;
}
