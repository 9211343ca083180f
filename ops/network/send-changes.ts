import { setTimeout as sleep } from 'node:timers/promises';
import { RpcFault } from '../../src/chain/port.ts';
import { Failure } from '../../terminal/failure.ts';
import { nodeErrorIn } from '../nodes/node-error.ts';
import type { Changed, Progress, Sender } from './sender.ts';
import type { StoredTransaction, TransactionsFile } from './transactions-file.ts';

/** Sends transactions and waits for them. A run that is killed continues with the bytes in the file. */

/** One network of a run. */
export interface Run<Change> {
  readonly changed: Changed<Change>;
  readonly sender: Sender<Change>;
  /** The subject of the changes: a gatekeeper network, or the address of a contract. */
  readonly subject: string;
  readonly file: TransactionsFile;
  readonly tell: (line: string) => void;
}

/** How often the bytes of a transaction are sent again while no block includes it. */
const REBROADCAST_MS = 10_000;
/** How often a line tells that the command still waits. */
const REMINDER_MS = 30_000;
/** A single answer may come from a node that is behind. */
const READINGS_UNTIL_LOST = 3;
/** How long the nonces before a transaction may be missing. */
const AHEAD_MAX_MS = 60_000;
/** A transaction that no block can include any longer is signed again at most this often. */
const MAX_SIGNATURES = 5;

/** Waits until no transaction of an earlier run can change the chain any longer. */
export async function finishEarlierRun<Change>(run: Run<Change>): Promise<void> {
  for (const transaction of earlierTransactions(run)) await settle(run, transaction, 'final');
}

export function earlierTransactions<Change>({ changed, sender, file }: Run<Change>): StoredTransaction[] {
  return file.of(changed.network, sender.account);
}

/** Makes the changes one after another, each when a block includes the one before, and waits until all are final. */
export async function sendChanges<Change>(run: Run<Change>, changes: readonly Change[]): Promise<void> {
  for (const change of changes) await sendChange(run, change);
  for (const transaction of earlierTransactions(run)) {
    if ((await settle(run, transaction, 'final')) === 'final') continue;
    if ((await run.changed.findMissing(changes)).length > 0)
      throw new Failure(`a reorg has undone the transaction to ${transaction.change}: run the command again`);
  }
}

async function sendChange<Change>(run: Run<Change>, change: Change): Promise<void> {
  const { changed, sender, subject, file, tell } = run;
  const { network } = changed;
  const text = changed.describe(change);
  for (let signatures = 0; signatures < MAX_SIGNATURES; signatures += 1) {
    const own = earlierTransactions(run).map(({ nonce = -1 }) => nonce);
    const signed = await sender.sign(change, Math.max(-1, ...own) + 1);
    const transaction = { ...signed, network, subject, account: sender.account, change: text };
    await file.add(transaction);
    tell(`${network}: sends ${signed.identifier} to ${text}`);
    const progress = await settle(run, transaction, 'included');
    if (progress === 'included' || progress === 'final') return;
    // Another run of the command may have used the nonce for the same change, or somebody else may have made it.
    if ((await changed.findMissing([change])).length === 0) return;
    if (progress !== 'lost') throw new Failure(`the transaction to ${text} had no effect (${signed.identifier})`);
  }
  throw new Failure(`no block included ${MAX_SIGNATURES} transactions to ${text}: run the command again later`);
}

/**
 * Broadcasts the transaction until it has that progress, or none can follow. The file forgets it once nothing can change its
 * outcome. Throws Failure if the account's earlier nonces are missing.
 */
async function settle<Change>(
  run: Run<Change>,
  transaction: StoredTransaction,
  until: 'included' | 'final',
): Promise<Progress> {
  const { changed, sender, file, tell } = run;
  const { network, blockMs } = changed;
  const { identifier } = transaction;
  const say = (text: string) => tell(`${network}: ${identifier} ${text}`);
  let told: Progress = until === 'final' ? 'included' : 'pending';
  let [sentAt, saidAt, aheadSince] = [0, Date.now(), Number.POSITIVE_INFINITY];
  let losses = 0;
  let refusal: string | undefined;
  for (;;) {
    const seen = await trackOnce(run, transaction);
    losses = seen === 'lost' ? losses + 1 : 0;
    const progress = seen === 'lost' && losses < READINGS_UNTIL_LOST ? 'pending' : seen;
    if (progress !== 'ahead') aheadSince = Number.POSITIVE_INFINITY;
    else aheadSince = Math.min(aheadSince, Date.now());
    if (Date.now() - aheadSince > AHEAD_MAX_MS)
      throw new Failure(
        `${identifier} waits for an earlier transaction of ${sender.account} that is missing: see --state`,
      );
    const isWaiting = progress === 'pending' || progress === 'ahead';
    const isOver = progress === 'final' || progress === 'failed' || progress === 'lost';
    if (progress !== told && !isWaiting) {
      told = progress;
      saidAt = Date.now();
      say(`is ${progress}`);
    }
    if (isOver) await file.remove(transaction);
    if (isOver || (until === 'included' && (progress === 'included' || progress === 'reverted'))) return progress;
    if (isWaiting && Date.now() - sentAt > REBROADCAST_MS) {
      sentAt = Date.now();
      const answer = await sender.broadcast(transaction).catch(messageOf);
      if (answer !== undefined && answer !== refusal) say(`is refused by the nodes: ${answer}`);
      refusal = answer;
    }
    if (Date.now() - saidAt > REMINDER_MS) {
      saidAt = Date.now();
      say(`is not ${progress === 'included' ? 'final' : 'in a block'} yet`);
    }
    await sleep(Math.min(Math.max(blockMs / 2, 200), 5_000));
  }
}

/** Returns `pending` if no node answers: the caller asks again. */
async function trackOnce<Change>(
  { changed, sender, tell }: Run<Change>,
  transaction: StoredTransaction,
): Promise<Progress> {
  try {
    return await sender.track(transaction);
  } catch (fault) {
    tell(`${changed.network}: the nodes do not answer (${messageOf(fault)}); tries again`);
    await sleep(2_000);
    return 'pending';
  }
}

/** Returns the message of a fault of the nodes, and throws any other. */
function messageOf(fault: unknown): string {
  if (fault instanceof RpcFault) return nodeErrorIn(fault);
  throw fault;
}
