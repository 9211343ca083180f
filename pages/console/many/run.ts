import { ApiError, call } from '../api/call.ts';
import { describeProblem, type Problem } from '../api/problem.ts';
import { createListeners } from '../layout/listeners.ts';
import { rowsIn } from './csv-fields.tsx';
import type { Item, Row } from './csv-rows.ts';

/** A run over many passes, from a file or from a list. It continues while the person looks at another view. */

/** The maximum number of items in a request. */
const REQUEST_MAX_ITEMS = 100;
/** Without an answer, a request is sent again: the same work a second time changes nothing. */
const MAX_TRIES = 20;
const RETRY_MIN_SECONDS = 2;
/** Nobody waits longer, for example until the quota of the next day. */
const RETRY_MAX_SECONDS = 120;

type Outcome = 'accepted' | 'failed' | 'unknown';

/** The result of a row; without an `outcome` before its answer. The fields are those of the command `gatepass`. */
export interface Result {
  readonly walletAddress: string;
  readonly network: string;
  readonly reference: string;
  readonly subject: string;
  readonly outcome?: Outcome;
  readonly detail?: string;
  readonly pass?: string;
  readonly requestId?: string | undefined;
}

interface Answer {
  readonly status: number;
  readonly record?: { readonly id: string };
  readonly problem?: Omit<Problem, 'status'>;
  readonly retryAfter?: number;
}

/** The work of a run. */
export interface Work {
  /** The verb for people: "Freeze". */
  readonly verb: string;
  readonly method: 'POST' | 'PATCH';
  /** Returns the item of the request for that of a row. */
  readonly itemOf: (item: Item) => object;
}

export interface Run {
  readonly isRunning: boolean;
  /** Undefined: nothing has run in this page. */
  readonly work?: Work;
  readonly error?: unknown;
  readonly results?: readonly Result[] | undefined;
  readonly emptyRows?: number;
}

let run: Run = { isRunning: false };
const { notify, useChanges } = createListeners();

function report(change: Partial<Run>): void {
  run = { ...run, ...change };
  notify();
}

/** Returns the run, and renders again when it changes. */
export function useRun(): Run {
  useChanges();
  return run;
}

const warnBeforeLeaving = (event: Event) => event.preventDefault();

const ISSUE: Work = { verb: 'Issue', method: 'POST', itemOf: (item) => item };

/** Issues a pass for each row of the file in the form. */
export const issueFile = (form: FormData) =>
  runOver(ISSUE, async () => {
    const { rows, emptyRows } = await rowsIn(form);
    report({ emptyRows });
    return rows;
  });

/** Does the work for each row. One run at a time. */
export async function runOver(work: Work, read: () => readonly Row[] | Promise<readonly Row[]>): Promise<void> {
  if (run.isRunning) return;
  report({ isRunning: true, work, error: undefined, results: undefined, emptyRows: 0 });
  addEventListener('beforeunload', warnBeforeLeaving);
  try {
    await sendAll(await read(), work);
  } catch (error) {
    report({ error });
  } finally {
    removeEventListener('beforeunload', warnBeforeLeaving);
    // A fault may have ended the run.
    report({ isRunning: false, results: run.results?.map((result) => ({ outcome: 'unknown', ...result })) });
  }
}

async function sendAll(rows: readonly Row[], { method, itemOf }: Work): Promise<void> {
  const results: Result[] = rows.map(({ walletAddress, network, reference, subject, fault }) => ({
    ...{ walletAddress, network, reference, subject },
    ...(fault !== undefined && { outcome: 'failed', detail: fault }),
  }));
  report({ results: [...results] });
  const open = rows.flatMap(({ item, ...row }, index) => (item === undefined ? [] : { ...row, item, index }));
  for (let start = 0; start < open.length; start += REQUEST_MAX_ITEMS) {
    let group = open.slice(start, start + REQUEST_MAX_ITEMS);
    for (let tries = 1; group.length > 0; tries += 1) {
      const answers = await sendGroup(
        method,
        group.map(({ item }) => itemOf(item)),
      );
      const answered = group.map((row, place) => ({ ...row, answer: answers[place] ?? { status: 0 } }));
      const isOver = ({ answer }: { readonly answer: Answer }) => !isTemporary(answer) || tries === MAX_TRIES;
      for (const { walletAddress, network, reference, subject, index, answer } of answered.filter(isOver))
        results[index] = { walletAddress, network, reference, subject, ...resultOf(answer) };
      report({ results: [...results] });
      // Only the other items are sent again.
      const again = answered.filter((row) => !isOver(row));
      const seconds = Math.max(RETRY_MIN_SECONDS, ...again.map(({ answer }) => answer.retryAfter ?? 0));
      if (again.length > 0) await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
      group = again;
    }
  }
}

/** Returns an answer for each item. A refusal of the request is the answer to each of them, so that other groups continue. */
async function sendGroup(method: Work['method'], items: readonly object[]): Promise<readonly Answer[]> {
  try {
    return (await call<{ readonly results: readonly Answer[] }>(method, 'passes', { body: { items } })).results;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { status, code, message: detail, requestId, retryAfter } = error;
    return items.map(() => ({ status, retryAfter, problem: { ...(code && { code }), detail, requestId } }));
  }
}

/** Whether a later request may succeed soon. Without an answer, the service may also have accepted the item. */
const isTemporary = ({ status, retryAfter = 0 }: Answer) =>
  status === 0 || ((status === 429 || status >= 500) && retryAfter <= RETRY_MAX_SECONDS);

function resultOf(answer: Answer): Pick<Result, 'detail' | 'pass' | 'requestId'> & { readonly outcome: Outcome } {
  const { record, problem } = answer;
  if (record !== undefined && problem === undefined) return { outcome: 'accepted', pass: record.id };
  const { code, requestId } = problem ?? {};
  const detail = describeProblem(problem ?? {});
  const outcome = isTemporary(answer) ? 'unknown' : 'failed';
  return { outcome, detail: code === undefined ? detail : `${code}: ${detail}`, requestId };
}
