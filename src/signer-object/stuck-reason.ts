import type { GatekeeperNetwork } from '../network/slot.ts';
import type { Rank } from '../pass/step-kinds.ts';
import { ceilingOfLane, ceilingOfSigner, pauseOfLane, pauseOfSigner } from './shown-pauses.ts';
import type { Signer } from './signer.ts';
import { STAGE_SQL } from './step-table.ts';
import { describeUnknownError } from './unknown-errors.ts';

/** A step that its signer may not know yet. */
export interface StuckStep {
  readonly id: string;
  readonly gatekeeperNetwork: GatekeeperNetwork;
  readonly rank: Rank;
}

interface Row extends Record<string, SqlStorageValue> {
  status: string;
  /** Type of the status that its pass receives. */
  at: string;
  why: string | null;
  tries: number;
}

const COMPROMISED =
  'the key of its signer is compromised: the signer withdraws the step, and the signer of another key does it';
const VANISHED = 'its block left the chain: the signer sends the same bytes again';

/** Returns a sentence for the operator that says why the step is not finished. `now` in milliseconds. */
export function stuckReasonFor(
  signer: Signer | undefined,
  { id, gatekeeperNetwork: lane, rank }: StuckStep,
  now: number,
): string {
  if (signer === undefined) return 'its signer is not configured';
  const { storage, lanes } = signer;
  const { sql } = storage;
  const [row] = sql
    .exec<Row>(`SELECT ${STAGE_SQL} AS status, standing ->> 'at' AS at, why, tries FROM step WHERE id = ?`, id)
    .toArray();
  switch (row?.status) {
    case undefined:
      return lanes.hasRoom(lane, rank) ? 'the signer has not added the step yet' : 'its lane is full';
    case 'waiting':
      if (signer.isCompromised) return COMPROMISED;
      return (
        pauseOfSigner(storage, now, true)?.why ??
        describeUnknownError(storage, row.why, row.tries, now) ??
        pauseOfLane(sql, lane)?.why ??
        row.why ??
        (ceilingOfLane(signer, lane, now) ?? ceilingOfSigner(signer, now))?.why ??
        'the step waits for its turn'
      );
    case 'unsent':
      return (
        pauseOfSigner(storage, now, true)?.why ??
        row?.why ??
        (row?.at === 'vanished' ? VANISHED : 'signed, and no node has accepted it yet')
      );
    case 'sent':
      return 'sent, and in no block yet';
    case 'confirmed':
      return 'confirmed, and its pass has not recorded it yet';
    default:
      return 'finished, and its pass has not recorded it yet';
  }
}
