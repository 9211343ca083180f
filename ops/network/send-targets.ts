import { Failure } from '../../terminal/failure.ts';
import { confirm } from '../confirm.ts';
import { printPlan } from '../dry-run.ts';
import { earlierTransactions, finishEarlierRun, type Run } from './send-changes.ts';
import type { Sender } from './sender.ts';
import { onEach, type Target } from './targets.ts';
import { TransactionsFile } from './transactions-file.ts';

/** A target with the account that sends its transactions. */
export type Sending<Change, T extends Target<Change> = Target<Change>> = T & { readonly run: Run<Change> };

/** How a run confirms and stores its transactions. */
export interface SendOptions {
  /** The subject of the changes: a gatekeeper network, or the address of a contract. */
  readonly subject: string;
  /** File with the transactions under way. */
  readonly state: string;
  readonly yes: boolean;
  readonly isDryRun: boolean;
  /** Prints lines about the progress. */
  readonly tell: (...lines: readonly string[]) => void;
}

/**
 * Opens the file of transactions, finishes what an earlier run has sent, and does the work with a sender for each target. Throws
 * Failure if the file has a transaction of another subject.
 */
export async function withRuns<Change, T extends Target<Change>>(
  targets: readonly T[],
  senderFor: (target: T) => Sender<Change>,
  options: SendOptions,
  work: (targets: readonly Sending<Change, T>[]) => Promise<void>,
): Promise<void> {
  const senders = targets.map(senderFor);
  const file = options.isDryRun ? TransactionsFile.view(options.state) : await TransactionsFile.open(options.state);
  try {
    const { subject, tell } = options;
    const sending = targets.map((target, index): Sending<Change, T> => {
      const sender = senders[index] as Sender<Change>;
      return { ...target, run: { changed: target.changed, sender, subject, file, tell } };
    });
    await continueEarlierRun(sending, options);
    await work(sending);
  } finally {
    file.close();
  }
}

/** Sends the transactions of an earlier run again, after the operator has seen them. A dry run only shows them. */
async function continueEarlierRun<Change>(
  targets: readonly Sending<Change>[],
  { subject, yes, isDryRun, tell }: SendOptions,
): Promise<void> {
  const earlier = targets.flatMap(({ run }) => earlierTransactions(run));
  if (earlier.length === 0) return;
  const other = earlier.find((each) => each.subject !== subject);
  if (other)
    throw new Failure(`--state has a transaction of ${other.subject}: finish that command first, or name another file`);
  tell('An earlier run has not finished:');
  for (const { network, change, identifier } of earlier) tell(`  ${network}: ${change} (${identifier})`);
  if (isDryRun) return tell('It would first send these transactions again.');
  await confirm('Send these transactions again?', { yes });
  await onEach(targets, ({ run }) => finishEarlierRun(run));
}

/**
 * Tells the costs, and asks whether to send. Returns whether to send, which a dry run does not. Throws Failure if an account cannot
 * pay, or if nobody confirms.
 */
export async function confirmCosts<Change>(
  targets: readonly Sending<Change>[],
  { yes, isDryRun, tell }: Pick<SendOptions, 'yes' | 'isDryRun' | 'tell'>,
): Promise<boolean> {
  tell(...(await onEach(targets, readCosts)).flat());
  const count = targets.reduce((sum, { changes }) => sum + changes.length, 0);
  if (isDryRun) {
    printPlan([count === 1 ? 'send this transaction' : `send these ${count} transactions`], tell);
    return false;
  }
  await confirm(count === 1 ? 'Send this transaction?' : `Send these ${count} transactions?`, { yes });
  return true;
}

/** Returns the lines that say what will be sent and what it costs. Throws Failure if the account cannot pay. */
async function readCosts<Change>({ changed, run: { sender }, changes }: Sending<Change>): Promise<string[]> {
  const [costs, funds] = await Promise.all([sender.estimate(changes), sender.readFunds()]);
  const total = costs.reduce((sum, cost) => sum + cost, 0n);
  if (total > funds)
    throw new Failure(
      `no funds: ${sender.account} has ${sender.formatAmount(funds)} and needs ${sender.formatAmount(total)}`,
    );
  const lines = changes.map(
    (change, index) => `  ${changed.describe(change)}, for about ${sender.formatAmount(costs[index] ?? 0n)}`,
  );
  return [`${changed.network}, from ${sender.account} to ${changed.address}:`, ...lines];
}
