import {
  appendFileSync,
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { stringify } from 'csv-stringify/sync';
import { isEmptyRow } from '../csv/csv-format.ts';
import type { OwnName } from '../csv/own-names.ts';
import { type PassName, type Plan, passNamed } from '../csv/plan-rows.ts';
import { readRows } from '../csv/read-rows.ts';
import { AS_CELLS, textOf } from '../csv/spreadsheet-cell.ts';
import { Failure } from '../failure.ts';
import { replaceFile } from '../replace-file.ts';

export const OUTCOMES = ['settled', 'accepted', 'failed'] as const;
/** `accepted`: the service stored the request, and the command did not wait. */
export type Outcome = (typeof OUTCOMES)[number];

/** The end of one pass in a run. */
export interface Result {
  readonly name: PassName;
  readonly expiry: number | undefined;
  readonly outcome: Outcome;
  /** Why it failed: `code: detail`. */
  readonly detail?: string | undefined;
  /** Id of the pass. */
  readonly pass?: string | undefined;
  readonly transaction?: string | undefined;
}

/** The service and the client whose results a file has. */
export interface Owner {
  readonly service: string;
  readonly client: string;
}

/** The command appends to the file, so it reads no other format. */
const FORMAT = { encoding: 'utf-8', separator: ',', isNamed: false } as const;

const linesOf = (rows: readonly (readonly unknown[])[]) => stringify([...rows], { cast: AS_CELLS });

const HEADER = [
  'chain',
  'network',
  'walletAddress',
  'expiryTimestamp',
  'reference',
  'subject',
  'outcome',
  'detail',
  'pass',
  'transaction',
  'at',
  'service',
  'client',
];

/** The header of a file that an earlier version of the command has begun. */
const EARLIER_HEADER = HEADER.filter((name) => name !== 'subject');
const SUBJECT_AT = HEADER.indexOf('subject');

export interface ResultFile {
  readonly path: string;
  /** The outcomes of earlier runs that stay, with the code of a failure. */
  readonly earlier: ReadonlyMap<PassName, { readonly outcome: Outcome; readonly code: string }>;
  /** Appends results with one write. */
  append(results: readonly Result[]): void;
}

/** Which earlier results a run repeats. */
export interface Repeated {
  readonly all: boolean;
  readonly failed: boolean;
  readonly accepted: boolean;
}

/**
 * Opens the result file of a run. It has each pass once: the function removes a torn last line of a killed run, and the results that
 * this run repeats. Throws Failure if the file has results of another service or client.
 */
export async function openResultFile(
  path: string,
  { passes, names: { reference: references, subject: subjects } }: Plan,
  owner: Owner,
  repeated: Repeated,
): Promise<ResultFile> {
  const earlier = new Map<PassName, { outcome: Outcome; code: string }>();
  if (repeated.all || !existsSync(path)) replaceFile(path, linesOf([HEADER]));
  else {
    if (cutTornLine(path) === 0) replaceFile(path, linesOf([HEADER]));
    let isOutdated = false;
    for await (const { cells, isEarlier } of readResults(path, owner)) {
      isOutdated ||= isEarlier;
      const { name, outcome, code, ...request } = parseResult(cells);
      const isKept = isCurrent(name, request, outcome) && !earlier.has(name);
      if (isKept && passes.has(name)) earlier.set(name, { outcome, code });
      isOutdated ||= !isKept;
    }
    if (isOutdated) await keepResults(path, owner, earlier, passes);
  }

  function isCurrent(name: PassName, { expiry, reference, subject }: Request, outcome: Outcome): boolean {
    if (!passes.has(name)) return true;
    const isRepeated = (outcome === 'failed' && repeated.failed) || (outcome === 'accepted' && repeated.accepted);
    const named = requestedFor(name);
    return !isRepeated && passes.get(name) === expiry && named.reference === reference && named.subject === subject;
  }
  function requestedFor(name: PassName): Readonly<Record<OwnName, string>> {
    return { reference: references.get(name) ?? '', subject: subjects.get(name) ?? '' };
  }
  return {
    path,
    earlier,
    append: (results) =>
      appendFileSync(path, linesOf(results.map((result) => rowOf(result, requestedFor(result.name), owner)))),
  };
}

/** Removes the results that do not stay. A killed run leaves the old file or the new one. */
async function keepResults(
  path: string,
  owner: Owner,
  kept: ReadonlyMap<PassName, unknown>,
  passes: Plan['passes'],
): Promise<void> {
  const unfinished = `${path}.new`;
  writeFileSync(unfinished, linesOf([HEADER]));
  const written = new Set<PassName>();
  let rows: (readonly string[])[] = [];
  const flush = () => {
    appendFileSync(unfinished, linesOf(rows));
    rows = [];
  };
  for await (const { cells } of readResults(path, owner)) {
    const { name } = parseResult(cells);
    if (written.has(name) || (passes.has(name) && !kept.has(name))) continue;
    written.add(name);
    if (rows.push(cells) >= ROWS_AT_ONCE) flush();
  }
  flush();
  renameSync(unfinished, path);
}

const ROWS_AT_ONCE = 1_000;

/** Reads the rows below the header, each with a cell for a subject. */
async function* readResults(
  path: string,
  { service, client }: Owner,
): AsyncGenerator<{ readonly cells: readonly string[]; readonly isEarlier: boolean }> {
  let isHeader = true;
  let isEarlier = false;
  for await (const { line, cells: written } of readRows(path, FORMAT)) {
    if (isEmptyRow(written)) continue;
    const cells = written.map(textOf);
    if (isHeader) isEarlier = cells.join() === EARLIER_HEADER.join();
    if (isEarlier) cells.splice(SUBJECT_AT, 0, isHeader ? 'subject' : '');
    if (isHeader && cells.join() !== HEADER.join())
      throw new Failure(`${path} is not a result file. Name another one with --results`);
    const [itsService, itsClient] = cells.slice(-2);
    if (!isHeader && cells.length !== HEADER.length)
      throw new Failure(`${path}:${line}: the line is damaged. Delete it`);
    if (!isHeader && (itsService !== service || itsClient !== client))
      throw new Failure(
        `${path} has results of ${itsService} for ${itsClient}. Move it away, or name another file with --results`,
      );
    if (!isHeader) yield { cells, isEarlier };
    isHeader = false;
  }
}

/** The request of a pass. Empty names: none, or their removal. */
interface Request extends Readonly<Record<OwnName, string>> {
  readonly expiry: number | undefined;
}

function parseResult([
  ,
  network,
  wallet,
  expiry,
  reference = '',
  subject = '',
  outcome,
  detail = '',
]: readonly string[]) {
  const request: Request = { expiry: expiry === '' ? undefined : Number(expiry), reference, subject };
  return { name: `${network}/${wallet}`, ...request, outcome: outcome as Outcome, code: codeOf(detail) };
}

/** Returns the code at the beginning of the detail of a failure. */
export const codeOf = (detail: string): string => detail.split(':')[0] ?? '';

function rowOf(
  { name, expiry, outcome, detail = '', pass, transaction }: Result,
  { reference, subject }: Readonly<Record<OwnName, string>>,
  { service, client }: Owner,
): unknown[] {
  const { chain, walletAddress } = passNamed(name);
  const at = new Date().toISOString();
  const reason = detail.replace(/\s+/g, ' ').trim();
  const request = [chain.type, chain.network, walletAddress, expiry, reference, subject];
  return [...request, outcome, reason, pass, transaction, at, service, client];
}

/** Cuts the text after the last line break: a killed run has written only a part of its last line. Returns the size. */
function cutTornLine(path: string): number {
  const file = openSync(path, 'r+');
  try {
    const { size } = fstatSync(file);
    const tail = Buffer.alloc(Math.min(size, 1 << 20));
    readSync(file, tail, 0, tail.length, size - tail.length);
    const end = size - tail.length + tail.lastIndexOf('\n') + 1;
    ftruncateSync(file, end);
    return end;
  } finally {
    closeSync(file);
  }
}
