import { passesFor } from '../chain/pass-cost.ts';
import { type Account, type ChainPort, RpcFault } from '../chain/port.ts';
import { smallestUnitsOf } from '../chain/units.ts';
import type { NanoCoins } from '../lib/brand.ts';
import { withTimeout } from '../lib/with-timeout.ts';
import { logFault } from '../log/log.ts';
import type { GatekeeperNetwork } from '../network/slot.ts';
import type { Wallet } from '../network/wallet.ts';
import type { PassKey } from '../pass/pass.ts';
import { RANKS } from '../pass/step-kinds.ts';
import { type Funds, type KnownFunds, maxPassCost } from './funds.ts';
import { nextNonce } from './nonces.ts';
import { ceilingOfLane, ceilingOfSigner, pauseOfLane, pauseOfSigner, type ShownPause } from './shown-pauses.ts';
import type { Signer } from './signer.ts';
import {
  type InFlightStage,
  IS_IN_FLIGHT,
  type Served,
  STAGE_SQL,
  type StepEntry,
  stepsInFlight,
} from './step-table.ts';
import { readTotals, type Totals } from './totals.ts';

/** Status of a signer for the operator. Reading it changes nothing. Times are in Unix seconds. */
export interface SignerStatus {
  /** In the chain's smallest unit, as a decimal number; null if the nodes do not answer. */
  readonly balance: string | null;
  /** How many issuances the balance pays for at their current maximum cost; null if that is unknown. */
  readonly passesLeft: number | null;
  /** Why the balance is unknown. */
  readonly why?: string | undefined;
  /** Null on chains without nonces, and while it is unknown. */
  readonly nextNonce: number | null;
  /** Number of steps that wait to be signed. */
  readonly waiting: number;
  /** The same number by rank, the highest rank (0) first. */
  readonly waitingByRank: readonly number[];
  readonly inFlight: Readonly<Record<InFlightStage, number>>;
  /** The transaction that has waited longest for a block. */
  readonly oldestPending: OldestPending | null;
  readonly paused: PauseStatus | null;
  readonly spending: SpendingStatus;
  /** Gatekeeper networks that have waiting steps, have spent coins today, or are paused. */
  readonly lanes: readonly LaneStatus[];
}

/** The work of a signer, which is known without a node. */
export type SignerWork = Omit<SignerStatus, 'balance' | 'passesLeft' | 'why' | 'nextNonce'>;

/** The metrics of a signer. `funds` is undefined if no recent ones are known. */
export interface SignerMetrics extends SignerWork {
  readonly funds: Funds | undefined;
  readonly totals: Totals;
}

interface OldestPending {
  readonly step: string;
  /** When it was first signed; null if an earlier release signed it. */
  readonly since: number | null;
  readonly ageSeconds: number | null;
  readonly nonce: number | null;
}

interface PauseStatus {
  readonly why: string;
  /** When the signer tries again. */
  readonly until: number;
}

/** Amounts in the chain's smallest unit, as decimal numbers. */
interface SpendingStatus {
  /** Cost of today's transactions (UTC): the actual cost if it is known, the maximum cost otherwise. */
  readonly spent: string;
  readonly ceiling: string;
  /** Amount that revocations may spend beyond the ceiling. */
  readonly reserve: string;
}

interface LaneStatus {
  readonly gatekeeperNetwork: string;
  readonly waiting: number;
  readonly paused: PauseStatus | null;
  readonly spending: SpendingStatus;
}

/** How long to wait for the account. The operator must get the status even if the nodes hang. */
const ACCOUNT_TIMEOUT_MS = 3_000;

/** Returns the status of the signer. `now` in milliseconds. */
export async function statusOf(signer: Signer, now: number): Promise<SignerStatus> {
  const { storage } = signer;
  const [account, cost] = await Promise.all([
    accountOf(signer.chain),
    withTimeout(
      ACCOUNT_TIMEOUT_MS,
      maxPassCost(signer).catch(() => undefined),
      undefined,
    ),
  ]);
  return {
    ...(typeof account === 'string'
      ? { balance: null, passesLeft: null, why: account }
      : { balance: account.balance.toString(), passesLeft: passesFor(account.balance, cost) }),
    nextNonce: nextNonceOf(storage, account),
    ...workOf(signer, now),
  };
}

/** Returns the metrics of the signer. It does not wait for a node. `now` in milliseconds. */
export function metricsOf(signer: Signer, funds: KnownFunds, now: number): SignerMetrics {
  return { ...workOf(signer, now), funds: funds.recent(signer, now), totals: readTotals(signer.storage) };
}

/** Returns the part of the status that needs no node. `now` in milliseconds. */
function workOf(signer: Signer, now: number): SignerWork {
  const { storage, network, lanes: counts } = signer;
  const { sql } = storage;
  const lanes = laneStatuses(signer, now);
  const waiting = lanes.reduce((sum, lane) => sum + lane.waiting, 0);
  const inFlight = { unsent: 0, sent: 0, confirmed: 0, ...inFlightCounts(sql) };
  return {
    waiting,
    waitingByRank: RANKS.map((rank) => counts.inTurn().reduce((sum, lane) => sum + counts.countOf(lane, rank), 0)),
    inFlight,
    oldestPending: oldestPending(sql, network, now),
    paused: pauseStatus(pauseOfSigner(storage, now, waiting + inFlight.unsent > 0) ?? ceilingOfSigner(signer, now)),
    spending: spendingStatus(signer, undefined, now),
    lanes,
  };
}

/** Returns the account, or a text that says why it cannot be read now. */
function accountOf(chain: ChainPort): Promise<Account | string> {
  return withTimeout(ACCOUNT_TIMEOUT_MS, chain.account().catch(whyUnreadable), 'the nodes do not answer');
}

function whyUnreadable(fault: unknown): string {
  if (fault instanceof RpcFault) return fault.message;
  logFault('signer.account_unread', fault);
  return 'the account cannot be read';
}

function nextNonceOf(storage: DurableObjectStorage, account: Account | string): number | null {
  const stored = storage.kv.get<number>('nextNonce') ?? null;
  if (typeof account === 'string') return stored;
  const next = nextNonce(storage, account.nonces);
  return typeof next === 'number' ? next : null;
}

function inFlightCounts(sql: SqlStorage): Partial<Record<InFlightStage, number>> {
  const query = `SELECT ${STAGE_SQL} AS status, count(*) AS n FROM step INDEXED BY step_in_flight
    WHERE ${IS_IN_FLIGHT} GROUP BY 1`;
  const rows = sql.exec<{ status: string; n: number }>(query).toArray();
  return Object.fromEntries(rows.map(({ status, n }) => [status, n]));
}

function oldestPending(sql: SqlStorage, served: Served, now: number): OldestPending | null {
  const pending = (['unsent', 'sent'] as const).flatMap((status) => stepsInFlight(sql, served, status, 1));
  const signedAt = ({ signed }: StepEntry) => signed[0]?.signedAtMs ?? 0;
  const [oldest] = pending.toSorted((a, b) => signedAt(a) - signedAt(b));
  if (oldest === undefined) return null;
  const at = oldest.signed[0]?.signedAtMs;
  const times =
    at === undefined
      ? { since: null, ageSeconds: null }
      : { since: seconds(at), ageSeconds: Math.max(0, seconds(now - at)) };
  return { step: oldest.step.id, ...times, nonce: oldest.nonce ?? null };
}

function laneStatuses(signer: Signer, now: number): LaneStatus[] {
  const { storage, lanes, spending } = signer;
  const spenders = new Set(spending.lanes(now));
  return storage.sql
    .exec<{ lane: GatekeeperNetwork }>('SELECT gatekeeper_network AS lane FROM lane ORDER BY gatekeeper_network')
    .toArray()
    .map(({ lane }) => ({
      gatekeeperNetwork: lane,
      waiting: lanes.countAll(lane),
      paused: pauseStatus(ceilingOfLane(signer, lane, now) ?? pauseOfLane(storage.sql, lane)),
      spending: spendingStatus(signer, lane, now),
    }))
    .filter(
      ({ waiting, paused, gatekeeperNetwork }) =>
        waiting > 0 || (paused?.until ?? 0) * 1000 > now || spenders.has(gatekeeperNetwork),
    );
}

function spendingStatus(
  { spending, network }: Signer,
  lane: GatekeeperNetwork | undefined,
  now: number,
): SpendingStatus {
  const { spent, ceiling, reserve } = spending.budgetOf(lane, now);
  const format = (amount: NanoCoins) => smallestUnitsOf(amount, network.chain).toString();
  return { spent: format(spent), ceiling: format(ceiling), reserve: format(reserve) };
}

function pauseStatus(pause: ShownPause | undefined): PauseStatus | null {
  return pause === undefined ? null : { why: pause.why, until: seconds(pause.until) };
}

const seconds = (ms: number) => Math.floor(ms / 1000);

/** Returns the passes that have steps in the table after the step `after`, in the order of the steps. */
export function listPassesWithSteps(
  signer: Signer | undefined,
  after: number,
  limit: number,
): { seq: number; key: PassKey }[] {
  if (signer === undefined) return [];
  const { storage, network: served } = signer;
  const { chain, network } = served;
  return storage.sql
    .exec<{ seq: number; gatekeeperNetwork: GatekeeperNetwork; wallet: Wallet }>(
      'SELECT seq, gatekeeper_network AS gatekeeperNetwork, wallet FROM step WHERE seq > ? ORDER BY seq LIMIT ?',
      after,
      limit,
    )
    .toArray()
    .map(({ seq, gatekeeperNetwork, wallet }) => ({ seq, key: { gatekeeperNetwork, chain, network, wallet } }));
}
