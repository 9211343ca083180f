import { configOf } from '../config/config.ts';
import { log, logFault } from '../log/log.ts';
import { parseReconcile, sendReconcile } from '../message/reconcile.ts';
import { advanceRun, beginRun, continueRun, lastRun, type Run } from '../store/reconciliations.ts';
import { compareWithChain } from './compare-chain.ts';
import { compareRows } from './compare-rows.ts';
import { addCounts, Tally } from './differences.ts';
import { type ReconciliationPlace, readSlice, START } from './reconciliation-slice.ts';

/** Slices of one night: what is left comes the next. */
const SLICES_PER_NIGHT = 2_000;

/** Once a night (`night` in milliseconds): a run is begun, or one that is not finished goes on. The queue does the work. */
export async function beginReconciliation(night: number, env: Env): Promise<void> {
  await sendReconcile(env.LOOKS, Math.floor(night / 1000));
}

/** Does a slice for each message, and sends the message for the next one. What fails is tried again by the queue. */
export async function reconcile(messages: readonly Message[], env: Env, most = SLICES_PER_NIGHT): Promise<void> {
  for (const message of messages) {
    const night = parseReconcile(message.body);
    try {
      if (night !== undefined && (await doSlice(night, env, most))) await sendReconcile(env.LOOKS, night);
      message.ack();
    } catch (fault) {
      logFault('reconcile', fault, { night });
      message.retry();
    }
  }
}

/** Returns whether there is more to do this night. */
async function doSlice(night: number, env: Env, most: number): Promise<boolean> {
  const run = await runOf(night, env.DB);
  if (run === undefined || run.slices >= most) return false;
  const config = configOf(env);
  const { passes, next } = await readSlice(JSON.parse(run.position) as ReconciliationPlace, config, env);
  const tally = new Tally();
  tally.count('passes', passes.length);
  await compareWithChain(await compareRows(passes, tally, env), tally, config, env);

  const counts = addCounts(run.counts, tally.counts);
  const finished = next === undefined ? Math.floor(Date.now() / 1000) : undefined;
  // Where a message came twice, the slice was done twice, which changes nothing, and counts once.
  if (!(await advanceRun(env.DB, run, { position: JSON.stringify(next ?? START), finished, counts }))) return false;
  log('reconciled-slice', { night, ...tally.counts });
  if (finished !== undefined) log('reconciled', { started: run.started, finished, ...counts });
  return finished === undefined;
}

/** The run that goes on this night; undefined when there is nothing left to do of it. */
async function runOf(night: number, db: D1Database): Promise<Run | undefined> {
  const last = await lastRun(db);
  if (last === undefined || (last.finished !== undefined && last.night < night)) {
    await beginRun(db, (last?.run ?? 0) + 1, night, JSON.stringify(START));
  } else if (last.finished === undefined && last.night < night) {
    await continueRun(db, last.run, night);
  }
  const run = await lastRun(db);
  return run?.night === night && run.finished === undefined ? run : undefined;
}
