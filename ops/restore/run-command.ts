import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { Failure, reportFailure } from '../../scripts/failure.ts';
import { print } from '../../scripts/print.ts';
import { PROJECT } from '../../scripts/wrangler.ts';
import { openDatabase, type RestoredDatabase } from './databases.ts';
import { parseRestoreOptions, type RestoreOptions, USAGE } from './options.ts';
import { READ_SEQUENCES, raiseSequences, type Sequences, sequencesIn } from './raise-sequences.ts';
import { type Progress, readProgress, removeProgress, writeProgress } from './restore-file.ts';
import { READ_USAGE, restoreUsage, type UsageRow, usageIn } from './restore-usage.ts';

/** Runs the command, prints its progress, and returns the exit code. */
export async function runRestoreCommand(args: readonly string[]): Promise<number> {
  try {
    if (args.includes('--help')) print(...USAGE.split('\n'));
    else await restore(parseRestoreOptions(args));
    return 0;
  } catch (error) {
    return reportFailure(error);
  }
}

async function restore(options: RestoreOptions): Promise<void> {
  const { shard, from, yes } = options;
  const database = openDatabase(options);
  const place = from.type === 'history' ? from.environment : 'local';
  const file = join(from.type === 'history' ? join(PROJECT, '.dev') : from.state, `restore-${place}-${shard}.json`);
  const stopped = readProgress(file, database.target);
  if (!yes && stopped === undefined) await confirm(`Restore ${shard} to ${database.target}?`);
  let progress: Progress = stopped ?? {
    target: database.target,
    before: await readSequences(database),
    usage: [],
    step: 'read',
  };
  const advance = (step: Progress['step']) => {
    progress = { ...progress, step };
    writeProgress(file, progress);
  };
  if (stopped === undefined) advance('read');
  // Each step is repeated if the run stopped before it was recorded, and does no harm twice.
  if (progress.step === 'read') {
    print(`${shard}: closing`);
    await database.close();
    advance('closed');
  }
  if (progress.step === 'closed') {
    progress = { ...progress, usage: await readUsage(database) };
    advance('counted');
  }
  if (progress.step === 'counted') {
    print(`${shard}: restoring ${database.target}`);
    await database.restore();
    advance('restored');
  }
  if (progress.step === 'restored') {
    const usage = restoreUsage(progress.usage, await readUsage(database));
    await database.run([...raiseSequences(progress.before), ...usage]);
    print(`${shard}: the feeds have new sequences and feed.restored, and the usage is that before the restore`);
    advance('raised');
  }
  await database.open();
  removeProgress(file);
  print(`${shard}: open again. Now run \`npm run rebuild\` for ${shard}.`);
}

/** Returns the sequences before the restore. Without them, the restored ones must suffice. */
async function readSequences(database: RestoredDatabase): Promise<Sequences> {
  try {
    return sequencesIn(await database.read(READ_SEQUENCES, ['gatekeeper_network']));
  } catch (fault) {
    print(`the sequences before the restore cannot be read: ${(fault as Error).message}`);
    return {};
  }
}

/** Returns the usage. Without that from before the restore, the restored one must suffice. */
async function readUsage(database: RestoredDatabase): Promise<UsageRow[]> {
  try {
    return usageIn(await database.read(READ_USAGE, ['gatekeeper_network', 'network', 'month']));
  } catch (fault) {
    print(`the usage cannot be read: ${(fault as Error).message}`);
    return [];
  }
}

async function confirm(question: string): Promise<void> {
  if (!process.stdin.isTTY) throw new Failure('confirm with --yes', 2);
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question(
    `${question} Events since then are lost, unless readers have them. Write "yes": `,
  );
  terminal.close();
  if (answer.trim() !== 'yes') throw new Failure('nothing was changed');
}
