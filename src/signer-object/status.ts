import { type PassCost, passCostOf, passesFor } from '../chain/pass-cost.ts';
import { type ChainPort, RpcFault, type SenderAccount } from '../chain/port.ts';
import { smallestUnitsOf } from '../chain/units.ts';
import { FreshValue } from '../lib/fresh-value.ts';
import { MINUTE_MS, type NanoCoins, SECOND_MS } from '../lib/units.ts';
import { within, withTimeout } from '../lib/with-timeout.ts';
import { logFault } from '../log/log.ts';
import { unusedWallet } from '../network/wallet.ts';
import type { PassKey } from '../pass/pass.ts';
import { RANKS, rankOf } from '../pass/step-kinds.ts';
import { describeReason, reasonRow, type WaitCode } from '../pass/wait-reasons.ts';
import type { ContractStatus } from './contract-codes.ts';
import { type Scope, SIGNER, type Wait } from './lanes.ts';
import { type WaitingByReason, waitingByReason } from './operator.ts';
import { nextNonce } from './recover.ts';
import { type InFlightStage, readTotals, type StepEntry, type Totals } from './schema.ts';
import type { Signer } from './signer.ts';
import { nextMidnight } from './spending.ts';
import { countConfirmed, type Lane, newestLane } from './step-queries.ts';

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
  /** The contracts of the network, as its watcher has told them. None on Solana. */
  readonly contracts: readonly ContractStatus[];
}

/** The work of a signer, which is known without a node. */
type SignerWork = Omit<SignerStatus, 'balance' | 'passesLeft' | 'why' | 'nextNonce'>;

/** The metrics of a signer. `funds` is undefined if no recent ones are known. */
export interface SignerMetrics extends SignerWork {
  readonly funds: Funds | undefined;
  readonly totals: Totals;
  readonly waitingByReason: WaitingByReason;
}

interface OldestPending {
  readonly step: string;
  /** When it was first signed. */
  readonly since: number;
  readonly ageSeconds: number;
  readonly nonce: number | null;
}

interface PauseStatus {
  /** A code of `wait-reasons.ts`. */
  readonly code: WaitCode;
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
const ACCOUNT_TIMEOUT_MS = 3 * SECOND_MS;

/** Returns the status of the signer. `now` in milliseconds. */
export async function statusOf(signer: Signer, now: number): Promise<SignerStatus> {
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
    nextNonce: nextNonceOf(signer, account),
    ...workOf(signer, now),
  };
}

/**
 * Returns the metrics of the signer. It does not wait for a node. `now` in milliseconds.
 * @param lanes Gatekeeper networks for whose passes a signer without any steps simulates an issuance.
 */
export function metricsOf(signer: Signer, funds: KnownFunds, lanes: readonly Lane[], now: number): SignerMetrics {
  return {
    ...workOf(signer, now),
    funds: funds.recent(signer, lanes, now),
    totals: readTotals(signer.storage),
    waitingByReason: waitingByReason(signer),
  };
}

/** Returns the part of the status that needs no node. `now` in milliseconds. */
function workOf(signer: Signer, now: number): SignerWork {
  const { steps, storage } = signer;
  const { lanes: counts } = steps;
  const lanes = laneStatuses(signer, now);
  const waiting = lanes.reduce((sum, lane) => sum + lane.waiting, 0);
  const unmined = (['unsent', 'sent'] as const).map((stage) => steps.inFlight(stage, Number.POSITIVE_INFINITY));
  const [unsent = 0, sent = 0] = unmined.map(({ length }) => length);
  return {
    waiting,
    waitingByRank: RANKS.map((rank) => counts.inTurn().reduce((sum, lane) => sum + counts.countOf(lane, rank), 0)),
    inFlight: { unsent, sent, confirmed: countConfirmed(storage.sql) },
    oldestPending: oldestPending(unmined.flat(), now),
    paused: pauseStatus(signer, SIGNER, now, waiting + unsent > 0),
    spending: spendingStatus(signer, SIGNER, now),
    lanes,
    contracts: signer.contracts?.statuses(now) ?? [],
  };
}

/** Returns the account, or a text that says why it cannot be read now. */
function accountOf(chain: ChainPort): Promise<SenderAccount | string> {
  return withTimeout(ACCOUNT_TIMEOUT_MS, chain.account().catch(whyUnreadable), 'the nodes do not answer');
}

function whyUnreadable(fault: unknown): string {
  if (fault instanceof RpcFault) return fault.message;
  logFault('signer.account_unread', fault);
  return 'the account cannot be read';
}

function nextNonceOf(signer: Signer, account: SenderAccount | string): number | null {
  const stored = signer.storage.kv.get<number>('nextNonce') ?? null;
  if (typeof account === 'string') return stored;
  const next = nextNonce(signer, account.nonces);
  return typeof next === 'number' ? next : null;
}

function oldestPending(unmined: readonly StepEntry[], now: number): OldestPending | null {
  const signedAt = ({ signed }: StepEntry) => signed[0]?.signedAtMs ?? now;
  // Transactions of one batch have the same time.
  const [oldest] = unmined.toSorted((a, b) => signedAt(a) - signedAt(b) || (a.nonce ?? 0) - (b.nonce ?? 0));
  if (oldest === undefined) return null;
  const at = signedAt(oldest);
  return {
    step: oldest.step.id,
    since: seconds(at),
    ageSeconds: Math.max(0, seconds(now - at)),
    nonce: oldest.nonce ?? null,
  };
}

function laneStatuses(signer: Signer, now: number): LaneStatus[] {
  const { steps, spending, waits } = signer;
  const lanes = new Set([...steps.lanes.inTurn(), ...spending.lanes(now), ...waits.lanes()]);
  return [...lanes]
    .toSorted()
    .map((lane) => {
      const waiting = steps.lanes.countAll(lane);
      return {
        gatekeeperNetwork: lane,
        waiting,
        paused: pauseStatus(signer, lane, now, waiting > 0),
        spending: spendingStatus(signer, lane, now),
      };
    })
    .filter(
      ({ waiting, paused, gatekeeperNetwork }) =>
        waiting > 0 || paused !== null || spending.lanes(now).includes(gatekeeperNetwork),
    );
}

function spendingStatus({ spending, network }: Signer, scope: Scope, now: number): SpendingStatus {
  const { spent, ceiling, reserve } = spending.budgetOf(scope, now);
  const format = (amount: NanoCoins) => smallestUnitsOf(amount, network.chain).toString();
  return { spent: format(spent), ceiling: format(ceiling), reserve: format(reserve) };
}

/** @param isAwaited Whether steps of the scope wait: then a reason is shown between two tries as well. */
function pauseStatus({ waits }: Signer, scope: Scope, now: number, isAwaited: boolean): PauseStatus | null {
  const wait: Wait | undefined = waits.shown(scope, now, isAwaited);
  if (wait === undefined) return null;
  // The tries in between only find out whether the ceiling or the prices have changed.
  const until = reasonRow(wait.code).ends === 'affordable' ? nextMidnight(now) : wait.until;
  return { code: wait.code, why: describeReason(wait), until: seconds(until) };
}

const seconds = (ms: number) => Math.floor(ms / 1000);

/** The funds of a signer as its nodes last showed them. */
interface Funds {
  /** In the chain's smallest unit, as a decimal number. */
  readonly balance: string;
  /** How many issuances the balance pays for at their current maximum cost; null: the cost is unknown. */
  readonly passesLeft: number | null;
  /** When they were read: Unix milliseconds. */
  readonly at: number;
}

/** The metrics show no older funds. */
const FUNDS_MAX_AGE_MS = 5 * MINUTE_MS;
/** A scrape reads older funds again. */
const FUNDS_FRESH_MS = 30 * SECOND_MS;
const FUNDS_TIMEOUT_MS = 30 * SECOND_MS;

/** The funds that the metrics show. It never waits for a node: a read that the metrics start serves the next ones. */
export class KnownFunds {
  readonly #funds = new FreshValue<Funds>({ freshMs: FUNDS_FRESH_MS, usableMs: FUNDS_MAX_AGE_MS });

  /** Returns the funds that were last read, if that is recent. Begins to read them again if they are not new. */
  recent(signer: Signer, lanes: readonly Lane[], now: number): Funds | undefined {
    const { kv } = signer.storage;
    const stored = this.#funds.last(now) ?? kv.get<Funds>('funds');
    if (stored !== undefined) this.#funds.set(stored, stored.at);
    if (now - (stored?.at ?? -Infinity) >= FUNDS_FRESH_MS) {
      const read = async () => {
        const funds = await within(FUNDS_TIMEOUT_MS, readFunds(signer, lanes), 'the nodes');
        kv.put('funds', funds);
        return funds;
      };
      const logged = (fault: unknown) => logFault('signer.account_unread', fault, { signer: signer.name });
      void this.#funds.refresh(read, now).catch(logged);
    }
    return this.#funds.last(now);
  }
}

async function readFunds(signer: Signer, lanes: readonly Lane[]): Promise<Funds> {
  const [{ balance }, cost] = await Promise.all([signer.chain.account(), maxPassCost(signer, lanes)]);
  return { balance: balance.toString(), passesLeft: passesFor(balance, cost), at: Date.now() };
}

/**
 * Returns the current maximum cost of an issuance. It simulates one for a wallet that nobody holds, in the gatekeeper network
 * of the newest pass, and signs nothing. Throws RpcFault if the nodes do not answer.
 * @param others Gatekeeper networks for a signer that has had no pass yet.
 */
async function maxPassCost(
  { storage, chain, network, isCompromised }: Signer,
  others: readonly Lane[] = [],
): Promise<PassCost> {
  const newest = newestLane(storage.sql);
  const lanes = newest === undefined ? others : [newest];
  if (lanes.length === 0 || isCompromised) return undefined;
  const wallet = unusedWallet(network.chain);
  const stepIn = ({ lane, contract }: Lane, index: number) => {
    const key: PassKey = { gatekeeperNetwork: lane, chain: network.chain, network: network.network, wallet };
    return { id: `cost:${index}`, kind: 'issue', rank: rankOf('issue'), key, contract } as const;
  };
  const requests = lanes.map((lane, index) => ({ step: stepIn(lane, index) }));
  const { results } = await chain.prepare(requests, 0);
  return passCostOf(
    results.map(([, result]) => result),
    network.chain,
  );
}
