import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Failure } from '../../scripts/failure.ts';
import { filterRunning } from '../../scripts/process-table.ts';
import { PROJECT } from '../../scripts/wrangler.ts';
import type { LocalnetFacts } from './localnet-facts.ts';
import { partnerEnvFileFor, partnerEnvOf } from './partner-env.ts';

/** Where the commands tell what they started. */
export const LOCALNET_FILE = join(PROJECT, '.dev', 'localnet.json');

/** Writes the facts, and what a partner knows of them, so that a reader sees either whole or not at all. */
export async function writeLocalnetFile(facts: LocalnetFacts, file = LOCALNET_FILE): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const ofPartner = partnerEnvOf(facts);
  if (ofPartner === undefined) await rm(partnerEnvFileFor(file), { force: true });
  else await writeWhole(partnerEnvFileFor(file), ofPartner);
  await writeWhole(file, `${JSON.stringify(facts, undefined, 2)}\n`);
}

async function writeWhole(file: string, text: string): Promise<void> {
  const unfinished = `${file}.${process.pid}`;
  await writeFile(unfinished, text);
  await rename(unfinished, file);
}

async function removeFiles(file: string): Promise<void> {
  for (const each of [file, partnerEnvFileFor(file)]) await rm(each, { force: true });
}

/** The facts of a running localnet. Throws Failure when there is no such file. */
export async function readLocalnetFile(file = LOCALNET_FILE): Promise<LocalnetFacts> {
  const facts = await readFile(file, 'utf8')
    .then(JSON.parse)
    .catch(() => undefined);
  if (facts?.pids?.oauth === undefined) {
    throw new Failure(`${file} describes no running localnet. Start one with \`npm run localnet\`.`);
  }
  return facts;
}

/** The localnet without the Worker, as it was before one was started against it. */
export function withoutWorker({ baseUrl: _, state: _state, ...facts }: LocalnetFacts): LocalnetFacts {
  const { worker: _worker, workerd: _workerd, proxy: _proxy, ...pids } = facts.pids;
  return { ...facts, pids };
}

/**
 * Removes a file that a command left behind when it was killed, so that nobody takes its word. Of a localnet that runs
 * still, it warns: there is one file, and it is about to tell of another.
 */
export async function removeStaleLocalnetFile(file = LOCALNET_FILE): Promise<void> {
  const owner = (await readLocalnetFile(file).catch(() => undefined))?.pids.oauth;
  if (owner === undefined) return;
  if ((await filterRunning([owner])).length === 0) await removeFiles(file);
  else console.error(`Another localnet runs (process ${owner}). From now on ${file} describes this one.`);
}

/** Removes the file of a localnet that this process started; another command's file is left alone. */
export async function removeLocalnetFile(file = LOCALNET_FILE): Promise<void> {
  const current = await readLocalnetFile(file).catch(() => undefined);
  if (current?.pids.oauth === process.pid) await removeFiles(file);
}

/** Takes the Worker out of the file again, if it is still the one in there. */
export async function removeWorkerFromFile(joined: LocalnetFacts, file = LOCALNET_FILE): Promise<void> {
  const current = await readLocalnetFile(file).catch(() => undefined);
  if (current && current.pids.worker === joined.pids.worker) await writeLocalnetFile(withoutWorker(current), file);
}
