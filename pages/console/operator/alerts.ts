import { duration, number } from '../layout/figures.ts';
import type {
  DeadLetterPage,
  OperatorWebhook,
  Reconciliation,
  SignerReport,
  StuckPage,
  WatcherReport,
  WebhookPage,
} from './records.ts';

/** The faults that need the operator, found in the answers of the service. The thresholds are those of `monitoring/alerts.yml`. */

export const PASSES_LEFT_MIN = 100;
const PENDING_MAX_SECONDS = 600;
const WATCH_LAG_MAX_SECONDS = 300;
const WEBHOOK_LAG_MAX_EVENTS = 1_000;
const RECONCILIATION_MAX_SECONDS = 26 * 3_600;
const SPENDING_MAX_SHARE = 0.8;

export interface Alert {
  readonly text: string;
  /** The view that explains it, and the network that it is about. */
  readonly view: string;
  readonly network?: string;
}

/** The answers that have arrived. */
export interface Figures {
  readonly signers: readonly SignerReport[] | undefined;
  readonly watchers: readonly WatcherReport[] | undefined;
  readonly stuck: StuckPage | undefined;
  readonly deadLetters: DeadLetterPage | undefined;
  readonly webhooks: WebhookPage | undefined;
  readonly reconciliation: Reconciliation | undefined;
}

/** Returns the alerts, the gravest first. Pure. @param now Unix seconds. */
export function alertsIn(
  { signers = [], watchers = [], stuck, deadLetters, webhooks, reconciliation }: Figures,
  now: number,
): readonly Alert[] {
  return [
    ...signers.flatMap(alertsOfSigner),
    ...watchers.flatMap((each) => alertsOfWatcher(each, now)),
    ...alertsOfDatabases([...(stuck?.unreadShards ?? []), ...(webhooks?.unreadShards ?? [])]),
    ...(deadLetters?.deadLetters.length
      ? [{ text: 'The queue gave up messages: dead letters wait.', view: 'stuck' }]
      : []),
    ...(webhooks?.webhooks ?? []).flatMap(alertsOfWebhook),
    ...(reconciliation ? alertsOfReconciliation(reconciliation, now) : []),
  ];
}

type When = readonly [isRaised: boolean | undefined, text: string];

const raised = (explained: Omit<Alert, 'text'>, ...alerts: readonly When[]): Alert[] =>
  alerts.flatMap(([isRaised, text]) => (isRaised ? [{ text, ...explained }] : []));

function alertsOfSigner(signer: SignerReport): Alert[] {
  const { network, waiting, balance, passesLeft, paused, retired, oldestPending, spending, contracts = [] } = signer;
  const name = `The signer of ${network}`;
  const pendingSeconds = oldestPending?.ageSeconds ?? 0;
  const left = typeof passesLeft === 'number' && !retired ? passesLeft : PASSES_LEFT_MIN;
  return raised(
    { view: 'signers', network },
    [waiting === undefined, `${name} does not answer.`],
    [waiting !== undefined && balance === null, `${name}: its balance is unknown.`],
    [Boolean(paused), `${name} is paused: ${paused?.why}.`],
    [left < PASSES_LEFT_MIN, `${name} can pay for ${number(left)} passes only.`],
    [
      pendingSeconds > PENDING_MAX_SECONDS,
      `${name}: a transaction has waited ${duration(pendingSeconds)} for a block.`,
    ],
    [spending && isNearCeiling(spending), `${name} has spent more than 80 % of its daily ceiling.`],
    [
      contracts.some(({ code, holdsSteps }) => code === 'unknown' || holdsSteps),
      `A contract of ${network} has changed hands or code.`,
    ],
  );
}

const isNearCeiling = ({ spent, ceiling }: NonNullable<SignerReport['spending']>) =>
  Number(spent) > SPENDING_MAX_SHARE * Number(ceiling);

function alertsOfWatcher(watcher: WatcherReport, now: number): Alert[] {
  const { network, status, coveredUntil, unservedGaps = 0, removedGatekeepers = [] } = watcher;
  const lag = typeof coveredUntil === 'number' ? now - coveredUntil : 0;
  return raised(
    { view: 'signers', network },
    [status === 'unreachable', `The watcher of ${network} does not answer.`],
    [
      status === 'on' && lag > WATCH_LAG_MAX_SECONDS,
      `Changes by others on ${network} have not been seen for ${duration(lag)}.`,
    ],
    [status === 'on' && coveredUntil === null, `The watcher of ${network} has covered nothing yet.`],
    [unservedGaps > 0, `No endpoint serves ${number(unservedGaps)} parts of ${network}.`],
    [removedGatekeepers.length > 0, `A gatekeeper has been removed on ${network}.`],
  );
}

const alertsOfDatabases = (unread: readonly string[]): Alert[] =>
  unread.length === 0 ? [] : [{ text: `Databases do not answer: ${[...new Set(unread)].join(', ')}.`, view: 'stuck' }];

/** Whether it delivers nothing, or its state is unknown. */
export const isFailing = ({ unreachable, failingSince, status }: OperatorWebhook) =>
  unreachable || failingSince !== undefined || status === 'disabled';

function alertsOfWebhook(webhook: OperatorWebhook): Alert[] {
  const { id, url = id, lag = 0, status } = webhook;
  return raised(
    { view: 'health' },
    // The partner or the operator has disabled it, so the view lists it, and nobody needs to hurry.
    [isFailing(webhook) && status !== 'disabled', `The webhook ${url} does not deliver.`],
    [!isFailing(webhook) && lag > WEBHOOK_LAG_MAX_EVENTS, `The webhook ${url} is ${number(lag)} events behind.`],
  );
}

function alertsOfReconciliation({ run }: Reconciliation, now: number): Alert[] {
  if (run === null) return [];
  return raised(
    { view: 'health' },
    [now - run.started > RECONCILIATION_MAX_SECONDS, 'The last reconciliation began more than 26 hours ago.'],
    [run.held.length > 0, `Losses of ${number(run.held.length)} pairs are held until you accept them.`],
  );
}
