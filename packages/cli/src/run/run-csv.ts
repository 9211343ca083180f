import { setTimeout as pause } from 'node:timers/promises';
import type { Gatepass, IssueItem, UpdateItem } from '@gatepass/client';
import type { GivenValues } from '../csv/columns.ts';
import { type Plan, passNamed, planRows } from '../csv/plan-rows.ts';
import { REQUESTED, type Verb } from '../csv/verb.ts';
import { Failure } from '../failure.ts';
import type { Output } from '../output.ts';
import { presentTime } from '../present-time.ts';
import { reportProgress } from '../progress-report.ts';
import { EXIT, type ExitCode, type Session } from '../session.ts';
import { RUN_PROGRESS } from './progress.ts';
import { reportWaits } from './report-waits.ts';
import { openResultFile } from './result-file.ts';
import { type RequestedPass, runPasses } from './run-passes.ts';
import { addResults, summarize, summarizePlan, tallyOf } from './summarize.ts';

/** The options of a run over a CSV file. */
export interface CsvOptions {
  readonly csv: string;
  readonly results?: string;
  readonly skipInvalid?: boolean;
  readonly retryFailed?: boolean;
  readonly restart?: boolean;
  readonly dryRun?: boolean;
  /** False: returns when the service has accepted all passes. */
  readonly wait: boolean;
}

/** A lost connection ends no run. */
export const PATIENT = { times: Number.POSITIVE_INFINITY, withinMs: Number.POSITIVE_INFINITY };

/**
 * Runs a verb over the rows of a CSV file, and returns the exit code. A run that was stopped at any moment continues when it is
 * called again. Throws Failure if the file is invalid.
 * @param confirm Called with the number of passes before the first request. It may throw.
 */
export async function runCsv(
  verb: Verb,
  given: GivenValues,
  options: CsvOptions,
  session: Session,
  confirm: (count: number) => Promise<void>,
): Promise<ExitCode> {
  const { csv, wait } = options;
  const { stdout, stderr } = session;
  const { url: service, clientId: client } = session.settings();
  const plan = await planRows(csv, verb, given, () => presentTime(session.connect()));
  reportPlan(plan, options, stderr);
  if (options.dryRun) {
    stdout.print(...summarizePlan(plan));
    return EXIT.done;
  }
  const path = options.results ?? `${csv.replace(/\.csv$/i, '')}.${verb}.results.csv`;
  const repeated = { all: options.restart === true, failed: options.retryFailed === true, accepted: wait };
  const file = await openResultFile(path, plan, { service, client }, repeated);
  const tally = tallyOf(file);
  const total = plan.passes.size;
  const left = total - file.earlier.size;
  if (left === 0)
    stderr.print(
      `nothing to send: every pass has a result in ${path}. --retry-failed repeats the failures, --restart all`,
    );
  else {
    await confirm(left);
    const progress = reportProgress(RUN_PROGRESS, stderr.stream, stderr.print);
    const onWait = reportWaits((line) => progress.note(line));
    const follows = wait && REQUESTED[verb].isOnChain;
    const cursor = follows ? await session.connect(undefined, onWait).newestSequence() : undefined;
    const gatepass = session.connect(PATIENT, onWait);
    const stop = () => {
      progress.stop();
      stderr.print('stopped: run the same command again to continue');
    };
    // The command itself ends the process after this.
    process.prependOnceListener('SIGINT', stop);
    try {
      await runPasses(verb, plan.passes, file.earlier, cursor, {
        send: (requested) => sendRequested(gatepass, verb, requested, plan.names),
        readEvents: (after) => gatepass.eventPage({ after, limit: 1_000 }),
        fetchPass: (name) => gatepass.get(passNamed(name)),
        record(results) {
          file.append(results);
          addResults(tally, results);
        },
        onProgress(waiting) {
          const { settled, accepted, failed } = tally.counts;
          progress.update({ total, accepted: settled + accepted + waiting, settled: settled + accepted, failed });
        },
        note: (line) => progress.note(line),
        pause: (ms) => pause(ms),
        now: Date.now,
      });
    } finally {
      process.removeListener('SIGINT', stop);
      progress.stop();
    }
  }
  stdout.print(...summarize(tally, plan, path));
  return tally.counts.failed > 0 ? EXIT.someFailed : EXIT.done;
}

/** Prints the notes and the faults of a plan. Throws Failure if the faults must be corrected. */
function reportPlan(plan: Plan, { csv, skipInvalid }: CsvOptions, stderr: Output): void {
  const { ignoredColumns, faults, faultCount, passes } = plan;
  if (ignoredColumns.length > 0) stderr.print(`ignores the columns ${ignoredColumns.join(', ')}`);
  stderr.print(...faults);
  if (faultCount > faults.length) stderr.print(`and ${faultCount - faults.length} more faults`);
  if (faultCount > 0 && !skipInvalid)
    throw new Failure(`${csv} has ${faultCount} faults, so nothing was sent. Correct them, or add --skip-invalid`);
  if (passes.size === 0) stderr.print(`${csv} has no pass to send`);
}

function sendRequested(gatepass: Gatepass, verb: Verb, requested: readonly RequestedPass[], names: Plan['names']) {
  const items = requested.map(({ name, expiry: expiryTimestamp }) => {
    const [reference, subject] = [names.reference.get(name), names.subject.get(name)];
    return { ...passNamed(name), expiryTimestamp, reference, subject };
  });
  if (verb === 'issue') return gatepass.issueMany(items as IssueItem[]);
  const state = REQUESTED[verb].state;
  return gatepass.updateMany(items.map((item) => ({ ...item, ...(state && { state }) }) as UpdateItem));
}
