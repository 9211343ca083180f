import {
  GatepassProblem,
  type SubjectCounts,
  type SubjectOutcome,
  SubjectSuperseded,
  type SubjectUpdate,
} from '@gatepass/client';
import { REQUESTED, type Verb } from '../csv/verb.ts';
import { describeFault } from '../failure.ts';
import { printPasses } from '../print-passes.ts';
import { type ProgressView, reportProgress, timeLeft } from '../progress-report.ts';
import { reportWaits } from '../run/report-waits.ts';
import { PATIENT } from '../run/run-csv.ts';
import { EXIT, type ExitCode, type Session } from '../session.ts';

interface SubjectOptions {
  /** False: returns when the service has accepted the change. */
  readonly wait: boolean;
  readonly json?: boolean | undefined;
  readonly reason?: string | undefined;
  /** Unix seconds. */
  readonly expiryTimestamp?: number | undefined;
}

/** Changes all passes of a subject and prints the end. A refusal is a failure of the subject, not of the command. */
export async function changeSubject(
  verb: Verb,
  subject: string,
  { wait, json, reason, expiryTimestamp }: SubjectOptions,
  session: Session,
): Promise<ExitCode> {
  const { state } = REQUESTED[verb];
  const change = { ...(state === undefined ? { expiryTimestamp } : { state }), reason } as SubjectUpdate;
  try {
    if (wait) return printOutcome(subject, change, await awaitChange(subject, change, session), json, session);
    const changed = await session.connect().subjects.update(subject, change);
    if (json) session.stdout.printJson(changed);
    else session.stdout.print(lineOf(subject, change.state, changed.passes));
    return EXIT.done;
  } catch (fault) {
    const isOfSubject =
      fault instanceof SubjectSuperseded ||
      (fault instanceof GatepassProblem && [404, 409, 429].includes(fault.status));
    if (!isOfSubject) throw fault;
    session.stderr.print(describeFault(fault));
    return EXIT.someFailed;
  }
}

const PROGRESS: ProgressView<SubjectCounts> = {
  nameOf: () => '',
  shareOf: ({ settled, total }) => Math.min(1, settled / Math.max(1, total)),
  textOf({ total, followed, settled }, first, seconds) {
    const left = timeLeft(Math.max(0, total - settled), settled - first.settled, seconds);
    return `${followed} of ${total} accepted, ${settled} settled, ${left}`;
  },
};

async function awaitChange(subject: string, change: SubjectUpdate, session: Session): Promise<SubjectOutcome> {
  const { stderr } = session;
  const progress = reportProgress(PROGRESS, stderr.stream, stderr.print);
  const stop = () => {
    progress.stop();
    stderr.print(`stopped: the service continues. gatepass get --subject ${subject} shows how far it is`);
  };
  process.prependOnceListener('SIGINT', stop);
  try {
    const gatepass = session.connect(
      PATIENT,
      reportWaits((line) => progress.note(line)),
    );
    const deadline = { withinMs: Number.MAX_SAFE_INTEGER, onProgress: progress.update };
    return await gatepass.subjects.updateAndWait(subject, change, deadline);
  } finally {
    process.removeListener('SIGINT', stop);
    progress.stop();
  }
}

async function printOutcome(
  subject: string,
  change: SubjectUpdate,
  { request, failed }: SubjectOutcome,
  json: boolean | undefined,
  session: Session,
): Promise<ExitCode> {
  const { stdout, stderr } = session;
  const refused = Object.entries(request.refused);
  if (json) stdout.printJson({ subject, ...request, failed });
  else {
    stdout.print(lineOf(subject, change.state, request.done));
    stderr.print(...refused.map(([code, count]) => `  ${code}: ${count}`));
    if (failed.length > 0) await printPasses(failed, session);
  }
  return refused.length + failed.length > 0 ? EXIT.someFailed : EXIT.done;
}

const lineOf = (subject: string, state: SubjectUpdate['state'], passes: number) =>
  [subject, state, passes === 1 ? '1 pass' : `${passes} passes`].filter(Boolean).join('  ');
