/** `npm run audit`: verifies or exports an audit trail. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { type Command, InvalidArgumentError } from 'commander';
import { printableJson } from '../packages/cli/src/printable.ts';
import type { TrailPlace } from '../src/audit/entry.ts';
import { npmCommand, repeated, runNpmCommand } from '../terminal/command.ts';
import { Failure } from '../terminal/failure.ts';
import { filePath, OPERATORS_TOKEN } from '../terminal/option-values.ts';
import { print, printError } from '../terminal/print.ts';
import { openService } from './admin-api.ts';
import { parseHead, type ShownEntry, type TrailPart, TrailVerifier } from './audit/verify-trail.ts';
import { readText } from './files.ts';
import { type DeploymentOptions, readDeployment } from './nodes/deployment.ts';
import { addServiceOptions, type ServiceValues, serviceOf } from './service-options.ts';

interface Options extends ServiceValues {
  readonly trail: string;
}

interface VerifyOptions extends Options {
  readonly head?: readonly TrailPlace[];
  /** An exported trail to verify instead of that of a service. */
  readonly file?: string;
}

interface ExportOptions extends Options {
  readonly out: string;
}

const PAGE_ENTRIES = 1_000;

function auditCommand(): Command {
  const command = npmCommand('audit', `Verifies or exports an audit trail. ${OPERATORS_TOKEN}`);
  withService(command.command('verify'))
    .description('Recomputes every hash, and finds a changed, removed, reordered or cut entry.')
    .option('--head <sequence:hash>', 'a head from the log, which the trail must have; may be repeated', repeated(head))
    .option('--file <file>', 'verifies an exported trail instead', filePath)
    .action((options: VerifyOptions) => verify(options, serviceOf(options, 'file')));
  withService(command.command('export'))
    .description('Writes the entries to a file, one line of JSON for each.')
    .requiredOption('--out <file>', 'the file to write', filePath)
    .action((options: ExportOptions) => exportTrail(options, serviceOf(options)));
  return command;
}

function withService(command: Command): Command {
  return addServiceOptions(command).option('--trail <name>', '`operator`, or a gatekeeper network', 'operator');
}

function head(text: string): TrailPlace {
  const place = parseHead(text);
  if (place === undefined) throw new InvalidArgumentError('must be SEQUENCE:HASH, from a line audit.head of the log.');
  return place;
}

async function verify(options: VerifyOptions, service: DeploymentOptions): Promise<void> {
  const verifier = new TrailVerifier(options.head ?? []);
  for await (const part of options.file === undefined ? partsOf(options, service) : [partIn(options.file)])
    verifier.add(part);
  const findings = verifier.finish();
  if (findings.length === 0)
    return print(`${options.trail}: ${verifier.count} entries, each follows the one before it`);
  printError(...findings);
  throw new Failure(`${options.trail}: ${findings.length} findings in ${verifier.count} entries`);
}

async function exportTrail(options: ExportOptions, service: DeploymentOptions): Promise<void> {
  const file = openSync(options.out, 'wx');
  let count = 0;
  try {
    for await (const { entries } of partsOf(options, service)) {
      for (const entry of entries) writeSync(file, `${printableJson(entry)}\n`);
      count += entries.length;
    }
  } finally {
    closeSync(file);
  }
  print(`${options.out} has ${count} entries of ${options.trail}`);
}

async function* partsOf({ trail }: Options, service: DeploymentOptions): AsyncGenerator<TrailPart> {
  const call = openService(readDeployment(service));
  let after = 0;
  for (;;) {
    const query = new URLSearchParams({ trail, after: String(after), limit: String(PAGE_ENTRIES) });
    const page = await call<TrailPart & { next: number; more: boolean }>('GET', `/admin/audit?${query}`);
    yield page;
    if (!page.more) return;
    if (page.next <= after) throw new Failure('the service repeats a page of the trail');
    after = page.next;
  }
}

/** An exported trail begins with its oldest entry, and ends with the newest one. */
function partIn(file: string): TrailPart {
  const entries = readText(file, '--file')
    .split('\n')
    .filter(Boolean)
    .map((line, index) => entryIn(line, index + 1));
  const [first, last] = [entries[0], entries.at(-1)];
  const start = { sequence: (first?.sequence ?? 1) - 1, hash: first?.previous ?? '' };
  return { entries, start, head: last ?? start };
}

function entryIn(line: string, number: number): ShownEntry {
  try {
    return JSON.parse(line) as ShownEntry;
  } catch {
    throw new Failure(`--file: line ${number} is no JSON`, 2);
  }
}

/** Runs the command, prints its result, and returns the exit code. */
export const runAuditCommand = (args: readonly string[]): Promise<number> => runNpmCommand(auditCommand(), args);

if (import.meta.main) process.exitCode = await runAuditCommand(process.argv.slice(2));
