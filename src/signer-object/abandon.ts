import type { GatekeeperNetwork } from '../network/slot.ts';
import type { Wallet } from '../network/wallet.ts';
import { ABANDONED, passIdOf } from '../pass/step.ts';
import { Lanes } from './lanes.ts';
import type { Signer } from './signer.ts';
import { answerFor } from './step-table.ts';
import { withdraw } from './transitions.ts';

interface Issuance {
  readonly id: string;
  readonly gatekeeperNetwork: GatekeeperNetwork;
  readonly wallet: Wallet;
}

export interface AbandonResult {
  /** Passes whose issuance has ended. */
  readonly ended: readonly (Pick<Issuance, 'gatekeeperNetwork' | 'wallet'> & { readonly pass: string })[];
  /** Issuances that are left and may still be ended. */
  readonly waiting: number;
  /** Issuances that are left because bytes were signed for them, or may have been by an earlier store. */
  readonly signed: number;
}

const IN_LANE = "kind = 'issue' AND gatekeeper_network = ifnull(?, gatekeeper_network)";
const IS_WAITING = `status = 'waiting' AND heard = 0 AND ${IN_LANE}`;
const IS_SIGNED = `(status = 'signed' OR (status = 'waiting' AND heard = 1)) AND ${IN_LANE}`;

/**
 * Ends at most `limit` waiting issuances of one gatekeeper network, or of all, as failed. Leaves those that may have signed bytes.
 * @param run Does the signer's next run, which ends them: between two runs no step is being signed.
 */
export async function abandonIssuances(
  storage: DurableObjectStorage,
  signer: Signer | undefined,
  lane: GatekeeperNetwork | undefined,
  limit: number,
  run: (signer: Signer) => Promise<unknown>,
): Promise<AbandonResult> {
  const { sql } = storage;
  const query = `SELECT id, gatekeeper_network AS gatekeeperNetwork, wallet FROM step WHERE ${IS_WAITING} LIMIT ?`;
  const issuances = sql.exec<Issuance & Record<string, SqlStorageValue>>(query, lane ?? null, limit).toArray();
  if (signer !== undefined) {
    for (const { id } of issuances) signer.abandoned.add(id);
    if (issuances.length > 0) await run(signer);
  } else {
    // A closed signer runs nothing.
    const lanes = new Lanes(sql);
    for (const { id } of issuances) withdraw({ storage, lanes }, id, ABANDONED_STATUS);
  }
  const count = (condition: string) =>
    sql.exec<{ n: number }>(`SELECT count(*) AS n FROM step WHERE ${condition}`, lane ?? null).one().n;
  const ended = issuances.filter(({ id }) => isAbandoned(sql, id));
  return {
    ended: ended.map(({ id, gatekeeperNetwork, wallet }) => ({ pass: passIdOf(id), gatekeeperNetwork, wallet })),
    waiting: count(IS_WAITING),
    signed: count(IS_SIGNED),
  };
}

/** The status of an abandoned issuance. */
export const ABANDONED_STATUS = { type: 'failed', reason: ABANDONED } as const;

/** False if the run that was under way signed the issuance, or ended it for another reason. */
function isAbandoned(sql: SqlStorage, id: string): boolean {
  const status = answerFor(sql, id)?.status;
  return status?.type === 'failed' && status.reason === ABANDONED;
}
