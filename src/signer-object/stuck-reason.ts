import { currentPause } from './pause.ts';
import type { Signer } from './signer.ts';
import { LANE_LIMIT, STATUS, waitingIn } from './step-table.ts';

/** A step that its signer may not know yet. */
export interface StuckStep {
  readonly id: string;
  readonly gatekeeperNetwork: string;
}

interface Row extends Record<string, SqlStorageValue> {
  status: string;
  /** What its pass is told. */
  at: string;
  why: string | null;
}

const VANISHED = 'its block left the chain: the same bytes are sent again';

/** Why that step is not over, as far as its signer knows: a sentence for an operator. `now` in milliseconds. */
export function reasonFor(signer: Signer | undefined, { id, gatekeeperNetwork: lane }: StuckStep, now: number): string {
  if (signer === undefined) return 'its signer is not configured';
  const { storage } = signer;
  const { sql } = storage;
  const [row] = sql
    .exec<Row>(`SELECT ${STATUS} AS status, standing ->> 'at' AS at, why FROM step WHERE id = ?`, id)
    .toArray();
  switch (row?.status) {
    case undefined:
      return waitingIn(sql, lane) >= LANE_LIMIT ? 'its lane is full' : 'its signer has not taken it in yet';
    case 'waiting':
      return pausedBecause(storage, lane, now) ?? row?.why ?? 'waits for its turn';
    case 'unsent':
      return (
        currentPause(storage, now)?.why ?? row?.why ?? (row?.at === 'vanished' ? VANISHED : 'signed, and not sent yet')
      );
    case 'sent':
      return 'sent, and in no block yet';
    case 'confirmed':
      return 'confirmed: its pass has yet to record it';
    default:
      return 'over: its pass has yet to record it';
  }
}

function pausedBecause(storage: DurableObjectStorage, lane: string, now: number): string | undefined {
  const query = 'SELECT why FROM lane WHERE gatekeeper_network = ? AND paused_until > ?';
  const [paused] = storage.sql.exec<{ why: string | null }>(query, lane, now).toArray();
  return currentPause(storage, now)?.why ?? paused?.why ?? undefined;
}
