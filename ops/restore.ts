/** `npm run restore`: restores a database, so that its event feeds use no sequence twice. */
import { join, resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { FIRST_SHARD } from '../src/config/bindings.ts';
import { npmCommand, runNpmCommand } from '../terminal/command.ts';
import { Failure } from '../terminal/failure.ts';
import { demandOneOf, demandWith, filePath, shardName } from '../terminal/option-values.ts';
import { print } from '../terminal/print.ts';
import { PROJECT } from '../terminal/wrangler.ts';
import { confirm, yesOption } from './confirm.ts';
import { boundShardsOf } from './deploy/deployment-config.ts';
import { type DryRunValues, dryRunOption, printPlan } from './dry-run.ts';
import { reportCommand } from './report-command.ts';
import { openDatabase, type RestoredDatabase, type RestoreSource } from './restore/databases.ts';
import { READ_SEQUENCES, raiseSequences, type Sequences, sequencesIn } from './restore/raise-sequences.ts';
import { type Progress, readProgress, removeProgress, writeProgress } from './restore/restore-file.ts';
import {
  type Placement,
  placementsIn,
  READ_MOVES,
  READ_PLACEMENTS,
  restorePlacements,
} from './restore/restore-placements.ts';
import { READ_USAGE, restoreUsage, type UsageRow, usageIn } from './restore/restore-usage.ts';

interface Values extends DryRunValues {
  readonly shard: string;
  readonly env?: string;
  readonly timestamp?: string;
  readonly bookmark?: string;
  readonly local?: true;
  readonly state?: string;
  readonly file?: string;
  readonly yes?: true;
}

const restoreCommand = (args: readonly string[]): Command =>
  npmCommand(
    'restore',
    'Restores a database to an earlier moment, so that its event feeds use no sequence twice. It closes the database for the ' +
      'service, restores it, raises the sequences, and opens it again. A stopped run continues with the same command.',
  )
    .requiredOption('--shard <name>', 'binding of the database: DB or like DB_1', shardName)
    .option('--env <name>', 'the deployment, for a deployed service')
    .option('--timestamp <time>', 'moment to return to: Unix seconds, or like 2026-07-01T00:00:00Z', timestamp)
    .option('--bookmark <text>', 'the same as a bookmark of D1')
    .option('--local', 'restores a database of a stopped `npm run dev`')
    .option('--state <dir>', 'its state folder; default: .dev/state', filePath)
    .option('--file <file>', 'a copy of the SQLite file of its database', filePath)
    .addOption(yesOption())
    .addOption(dryRunOption())
    .action((values: Values) => restore(values, sourceOf(values), args));

/** The history of a database (D1 Time Travel). Wrangler refuses other moments too, but only when the database is closed for the service. */
const HISTORY_MS = 30 * 86_400_000;

function timestamp(text: string): string {
  const time = /^\d{9,11}$/.test(text) ? Number(text) * 1000 : Date.parse(text);
  if (Number.isNaN(time)) throw new InvalidArgumentError('It must be Unix seconds, or like 2026-07-01T00:00:00Z.');
  if (time <= Date.now() && time >= Date.now() - HISTORY_MS) return text;
  throw new InvalidArgumentError('It must be in the last 30 days: D1 has no older history.');
}

function sourceOf(values: Values): RestoreSource {
  demandOneOf(values, 'local', 'env');
  for (const name of ['state', 'file']) demandWith(values, name, 'local');
  for (const name of ['timestamp', 'bookmark']) demandWith(values, name, 'env');
  const { env, state = resolve(PROJECT, '.dev', 'state'), file } = values;
  if (env === undefined) {
    if (file === undefined) throw new Failure('--local requires --file', 2);
    return { type: 'copy', state, file };
  }
  demandOneOf(values, 'timestamp', 'bookmark');
  const { timestamp: time, bookmark } = values;
  const moment = time === undefined ? `--bookmark=${bookmark}` : `--timestamp=${time}`;
  return { type: 'history', environment: env, moment };
}

async function restore({ shard, yes, dryRun }: Values, from: RestoreSource, args: readonly string[]): Promise<void> {
  const database = openDatabase(shard, from);
  const place = from.type === 'history' ? from.environment : 'local';
  const file = join(from.type === 'history' ? join(PROJECT, '.dev') : from.state, `restore-${place}-${shard}.json`);
  const stopped = readProgress(file, database.target);
  // A stopped run has a closed database, and must be finished.
  if (stopped === undefined) await demandNoMoves(shard, from);
  if (dryRun) return printPlan(await stepsLeft(shard, database, stopped));
  if (stopped === undefined)
    await confirm(`Events since then are lost, unless readers have them. Restore ${shard} to ${database.target}?`, {
      yes,
    });
  // The service of a local database is stopped.
  if (from.type === 'history') await reportCommand({ command: 'restore', args, environment: from.environment });
  let progress: Progress = stopped ?? {
    target: database.target,
    before: await readSequences(database),
    usage: [],
    placements: [],
    step: 'read',
  };
  const advance = (step: Progress['step']) => {
    progress = { ...progress, step };
    writeProgress(file, progress);
  };
  if (stopped === undefined) advance('read');
  // Each step is repeated if the run stopped before it was recorded, and does no harm twice.
  if (progress.step === 'read') {
    print(`${shard}: closing, which takes six minutes`);
    await database.close();
    advance('closed');
  }
  if (progress.step === 'closed') {
    // A move may have begun while the question or the closing took its time. It needs the open database.
    await demandNoMoves(shard, from).catch(async (fault: unknown) => {
      await database.open();
      removeProgress(file);
      throw fault;
    });
    const first = shard === FIRST_SHARD ? database : openDatabase(FIRST_SHARD, from);
    progress = { ...progress, usage: await readUsage(database), placements: await readPlacements(first) };
    advance('counted');
  }
  if (progress.step === 'counted') {
    print(`${shard}: restoring ${database.target}`);
    await database.restore();
    advance('restored');
  }
  if (progress.step === 'restored') {
    const usage = restoreUsage(progress.usage, await readUsage(database));
    await database.run([
      ...raiseSequences(progress.before),
      ...usage,
      ...restorePlacements(shard, progress.placements),
    ]);
    print(`${shard}: the feeds have new sequences and feed.restored, and the usage is that before the restore`);
    advance('raised');
  }
  await database.open();
  removeProgress(file);
  print(`${shard}: open again. Now run \`npm run rebuild\` for ${shard}.`);
}

/** Throws Failure if a gatekeeper network moves from or to the database. No move changes the first database, which has all names, meanwhile. */
async function demandNoMoves(shard: string, from: RestoreSource): Promise<void> {
  // A local service that can be restored has one database.
  const all = from.type === 'copy' || shard !== FIRST_SHARD ? [shard] : boundShardsOf(from.environment);
  for (const name of all) {
    const moving = await readOr(
      [],
      `the moves in ${name}`,
      openDatabase(name, from).read(READ_MOVES, ['gatekeeper_network']),
    );
    if (moving.length === 0) continue;
    const keys = moving.map(({ gatekeeper_network: key }) => key).join(', ');
    throw new Failure(
      `${shard} cannot be restored now: ${keys} moves from or to ${name}. Let the move end, or cancel it, with \`npm run shard\``,
    );
  }
}

/** Returns what a run would do, from the step where an earlier one stopped. It only reads. */
async function stepsLeft(shard: string, database: RestoredDatabase, stopped: Progress | undefined): Promise<string[]> {
  const feeds = Object.keys(stopped?.before ?? (await readSequences(database))).length;
  const steps: readonly (readonly [after: Progress['step'], text: string])[] = [
    ['read', `close ${shard} for the service, and wait for six minutes, until every isolate and object has it`],
    ['closed', `read the usage in ${shard}, and the databases of all gatekeeper networks`],
    ['counted', `restore ${shard} to ${database.target}: events since then are lost`],
    [
      'restored',
      `raise the sequences of ${feeds} feeds, and store the usage and the databases of gatekeeper networks again`,
    ],
    ['raised', `open ${shard} for the service`],
  ];
  return steps.slice(steps.findIndex(([after]) => after === (stopped?.step ?? 'read'))).map(([, text]) => text);
}

/** Returns the answer of a database, or what suffices if the database cannot be read any longer. */
async function readOr<T>(otherwise: T, what: string, read: Promise<T>): Promise<T> {
  return read.catch((fault: Error) => {
    print(`${what} cannot be read: ${fault.message}`);
    return otherwise;
  });
}

/** Returns the sequences before the restore. Without them, the restored ones must suffice. */
const readSequences = (database: RestoredDatabase): Promise<Sequences> =>
  readOr(
    {},
    'the sequences before the restore',
    database.read(READ_SEQUENCES, ['gatekeeper_network']).then(sequencesIn),
  );

/** Returns the usage. Without that from before the restore, the restored one must suffice. */
const readUsage = (database: RestoredDatabase): Promise<UsageRow[]> =>
  readOr([], 'the usage', database.read(READ_USAGE, ['gatekeeper_network', 'network', 'month']).then(usageIn));

const readPlacements = (first: RestoredDatabase): Promise<Placement[]> =>
  readOr([], 'the databases of gatekeeper networks', first.read(READ_PLACEMENTS, ['key']).then(placementsIn));

/** Runs the command, prints its progress, and returns the exit code. */
export const runRestoreCommand = (args: readonly string[]): Promise<number> =>
  runNpmCommand(restoreCommand(args), args);

if (import.meta.main) process.exitCode = await runRestoreCommand(process.argv.slice(2));
