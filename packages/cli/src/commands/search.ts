import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Pass, PassFilter } from '@gatepass/client';
import { type Command, Option } from 'commander';
import { stringify } from 'csv-stringify';
import { AS_CELLS } from '../csv/spreadsheet-cell.ts';
import { Failure } from '../failure.ts';
import { chainOf, chainWith, networkOption } from '../networks.ts';
import { ownName } from '../own-name-option.ts';
import { limitPages } from '../page-limit.ts';
import { wholeNumber } from '../parse-number.ts';
import { type End, parseEnd } from '../parse-time.ts';
import { pastedWallet } from '../pasted-text.ts';
import { secondsOf } from '../present-time.ts';
import { printPasses } from '../print-passes.ts';
import { reportCount } from '../progress-report.ts';
import type { Session } from '../session.ts';
import { demandWallet } from '../wallet-argument.ts';

const STATES = ['REQUESTED', 'ACTIVE', 'FROZEN', 'REVOKED', 'REJECTED'];
const TABLE_LIMIT = 20;
const PASSES_PER_PAGE = 100;
const COLUMNS = [
  'chain',
  'network',
  'walletAddress',
  'state',
  'onChainState',
  'expiryTimestamp',
  'id',
  'reference',
  'subject',
];

interface SearchOptions {
  readonly state?: NonNullable<PassFilter['state']>;
  readonly network?: string;
  readonly wallet?: string;
  readonly reference?: string;
  readonly subject?: string;
  readonly walletPrefix?: string;
  readonly validity?: NonNullable<PassFilter['validity']>;
  readonly expiresBefore?: End;
  readonly oldestFirst?: boolean;
  readonly limit?: number;
  readonly csv?: string;
  readonly json?: boolean;
}

/** Adds the command that searches passes. */
export function addSearch(program: Command, session: Session): void {
  program
    .command('search')
    .summary('print your passes, newest first')
    .description(
      `Prints your passes, newest first. A table has at most ${TABLE_LIMIT} passes, unless --limit says more.`,
    )
    .addOption(new Option('--state <state>', 'only passes with this state').choices(STATES))
    .addOption(networkOption())
    .option('--wallet <address>', 'only passes of this wallet')
    .option(
      '--wallet-prefix <text>',
      'only passes whose wallet begins so: at least six characters, after 0x on Ethereum',
    )
    .addOption(new Option('--validity <word>', 'only passes that are valid, or expired').choices(['valid', 'expired']))
    .option(
      '--expires-before <time>',
      'only valid passes that expire before a time, or within a duration such as 7d',
      parseEnd,
    )
    .option('--oldest-first', 'the oldest passes first; not together with the three options before')
    .option('--reference <text>', 'only passes with exactly this reference; not together with another condition')
    .option('--subject <name>', 'only passes of this subject; not together with another condition', ownName('subject'))
    .option('--limit <number>', 'the maximum number of passes', wholeNumber(1))
    .option('--csv <file>', 'writes all of them to a new CSV file')
    .option('--json', 'prints each record as a line of JSON')
    .addHelpText(
      'after',
      '\nExample:\n  gatepass search --state FROZEN --csv frozen.csv && gatepass unfreeze --csv frozen.csv',
    )
    .action(async ({ csv, json, ...options }: SearchOptions) => {
      const passes = findPasses(options, session);
      if (csv !== undefined) await writeCsv(passes, csv, session);
      else if (json) await printJson(passes, session);
      else await printSome(passes, options.limit ?? TABLE_LIMIT, session);
    });
}

/** Returns the passes that match. */
async function* findPasses(
  {
    state,
    network,
    wallet,
    reference,
    subject,
    walletPrefix,
    validity,
    expiresBefore,
    oldestFirst,
    limit,
  }: SearchOptions,
  session: Session,
): AsyncGenerator<Pass> {
  const gatepass = session.connect();
  const filter = {
    ...(state && { state }),
    ...(network !== undefined && { chain: chainWith(network) }),
    ...(wallet !== undefined && { walletAddress: demandWallet(wallet, chainOf(network ?? '')) }),
    ...(reference !== undefined && { reference }),
    ...(subject !== undefined && { subject }),
    ...(walletPrefix !== undefined && { walletPrefix: pastedWallet(walletPrefix) }),
    ...(validity && { validity }),
    ...(expiresBefore !== undefined && { expiresBefore: await secondsOf(expiresBefore, gatepass) }),
  };
  const countPage = limitPages();
  let found = 0;
  for await (const pass of gatepass.passes(filter, oldestFirst ? { order: 'oldest' } : {})) {
    yield pass;
    found += 1;
    if (found === limit) return;
    if (found % PASSES_PER_PAGE === 0) countPage(PASSES_PER_PAGE);
  }
}

async function printSome(passes: AsyncIterable<Pass>, limit: number, session: Session): Promise<void> {
  const { stderr } = session;
  const shown: Pass[] = [];
  let hasMore = false;
  for await (const pass of passes) {
    hasMore = shown.length === limit;
    if (hasMore) break;
    shown.push(pass);
  }
  if (shown.length > 0) await printPasses(shown, session);
  else stderr.print('no passes');
  if (hasMore) stderr.print(`the first ${limit} passes. --limit, --csv and --json give more`);
}

async function printJson(passes: AsyncIterable<Pass>, { stdout }: Session): Promise<void> {
  for await (const pass of passes) if (!stdout.printJson(pass)) await once(stdout.stream, 'drain');
}

async function writeCsv(passes: AsyncIterable<Pass>, file: string, { stderr }: Session): Promise<void> {
  let count = 0;
  const report = reportCount(stderr.print, (found) => `${found} passes so far`);
  async function* rows() {
    for await (const { chain, walletAddress, state, onChainState, expiryTimestamp, id, reference, subject } of passes) {
      count += 1;
      report(count);
      yield [chain.type, chain.network, walletAddress, state, onChainState, expiryTimestamp, id, reference, subject];
    }
  }
  const removeFile = () => rmSync(file, { force: true });
  // Before the first request: a fault of the search must not remove a file that was there.
  const created = await open(file, 'wx').catch((fault: NodeJS.ErrnoException) => {
    throw fault.code === 'EEXIST' ? new Failure(`${file} exists: name a new file with --csv`) : fault;
  });
  // A part of the passes must not look like all of them.
  process.prependListener('SIGINT', removeFile);
  try {
    const format = { cast: AS_CELLS, header: true, columns: COLUMNS };
    await pipeline(Readable.from(rows()), stringify(format), created.createWriteStream());
  } catch (fault) {
    removeFile();
    throw fault;
  } finally {
    process.removeListener('SIGINT', removeFile);
  }
  stderr.print(`${count} passes in ${file}`);
}
