import type { GatekeeperNetwork } from '../network/slot.ts';
import type { Wallet } from '../network/wallet.ts';
import { ABANDONED, passIdOf, type StepStatus } from '../pass/step.ts';
import type { StepKind } from '../pass/step-kinds.ts';
import { Lanes } from './lanes.ts';
import type { Signer } from './signer.ts';
import { answerFor, IS_UNSIGNED } from './step-table.ts';
import { withdraw } from './transitions.ts';

/** Selects the waiting steps that the operator ends. An undefined field does not restrict the selection. */
export interface WaitingSteps {
  readonly kinds: readonly StepKind[];
  readonly gatekeeperNetwork?: GatekeeperNetwork | undefined;
  /** OAuth client that requested them. */
  readonly client?: string | undefined;
}

export interface EndedSteps {
  /** Passes whose step has ended. */
  readonly ended: readonly {
    readonly pass: string;
    readonly gatekeeperNetwork: GatekeeperNetwork;
    readonly wallet: Wallet;
  }[];
  /** Number of selected steps that still wait and can be ended by another call. */
  readonly waiting: number;
  /** Number of selected steps that cannot be ended, because a block may include a transaction for them. */
  readonly signed: number;
}

const MATCHES = `kind IN (SELECT value FROM json_each(?1)) AND gatekeeper_network = ifnull(?2, gatekeeper_network)
  AND (?3 IS NULL OR client = ?3)`;
const IS_WAITING = `${IS_UNSIGNED} AND ${MATCHES}`;
const IS_SIGNED = `status IN ('waiting', 'signed') AND NOT (${IS_UNSIGNED}) AND ${MATCHES}`;

/** The status of a step that the operator ended. */
const ENDED: StepStatus = { type: 'failed', reason: ABANDONED };

/**
 * Ends at most `limit` of the selected steps as failed. It does not end steps that may have signed bytes.
 * @param run Starts the signer's next run, which ends the steps: between two runs the signer signs nothing.
 */
export async function endWaitingSteps(
  storage: DurableObjectStorage,
  signer: Signer | undefined,
  { kinds, gatekeeperNetwork, client }: WaitingSteps,
  limit: number,
  run: (signer: Signer) => Promise<unknown>,
): Promise<EndedSteps> {
  const { sql } = storage;
  const bindings = [JSON.stringify(kinds), gatekeeperNetwork ?? null, client ?? null];
  const query = `SELECT id, gatekeeper_network AS gatekeeperNetwork, wallet FROM step WHERE ${IS_WAITING} LIMIT ?4`;
  const steps = sql
    .exec<{ id: string; gatekeeperNetwork: GatekeeperNetwork; wallet: Wallet }>(query, ...bindings, limit)
    .toArray();
  if (signer !== undefined) {
    for (const { id } of steps) signer.withdrawals.set(id, ENDED);
    if (steps.length > 0) await run(signer);
  } else {
    // A signer that is not configured has no runs.
    const lanes = new Lanes(sql);
    for (const { id } of steps) withdraw({ storage, lanes }, id, ENDED);
  }
  const count = (condition: string) =>
    sql.exec<{ n: number }>(`SELECT count(*) AS n FROM step WHERE ${condition}`, ...bindings).one().n;
  const ended = steps.filter(({ id }) => isEnded(sql, id));
  return {
    ended: ended.map(({ id, gatekeeperNetwork, wallet }) => ({ pass: passIdOf(id), gatekeeperNetwork, wallet })),
    waiting: count(IS_WAITING),
    signed: count(IS_SIGNED),
  };
}

/** Whether the operator's request ended the step. False if the current run signed it, or ended it for another reason. */
function isEnded(sql: SqlStorage, id: string): boolean {
  const status = answerFor(sql, id)?.status;
  return status?.type === 'failed' && status.reason === ABANDONED;
}
