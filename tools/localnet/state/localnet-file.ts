import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Failure } from '../../../terminal/failure.ts';
import { filterRunning } from '../../../terminal/process-table.ts';
import { PROJECT } from '../../../terminal/wrangler.ts';
import type { LocalnetFacts } from './localnet-facts.ts';
import { partnerEnvFileFor, partnerEnvOf } from './partner-env.ts';

/** The file in which commands describe the processes that they started. */
export const LOCALNET_FILE = join(PROJECT, '.dev', 'localnet.json');

/** Writes the facts, and the file of a partner's variables, atomically. */
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

/** Returns the facts of a running localnet. Throws Failure if the file does not exist. */
export async function readLocalnetFile(file = LOCALNET_FILE): Promise<LocalnetFacts> {
  const facts = await readFile(file, 'utf8')
    .then(JSON.parse)
    .catch(() => undefined);
  if (facts?.pids?.oauth === undefined) {
    throw new Failure(`${file} describes no running localnet. Start one with \`npm run localnet\`.`);
  }
  return facts;
}

/** Returns the facts without the Worker. */
export function withoutWorker({ baseUrl: _, state: _state, ...facts }: LocalnetFacts): LocalnetFacts {
  const { worker: _worker, workerd: _workerd, proxy: _proxy, ...pids } = facts.pids;
  return { ...facts, pids };
}

/**
 * Removes the file of a killed command, so that no reader believes it. If the localnet of the file still runs, it prints a warning,
 * because the single file will describe another localnet.
 */
export async function removeStaleLocalnetFile(file = LOCALNET_FILE): Promise<void> {
  const owner = (await readLocalnetFile(file).catch(() => undefined))?.pids.oauth;
  if (owner === undefined) return;
  if ((await filterRunning([owner])).length === 0) await removeFiles(file);
  else console.error(`Another localnet runs (process ${owner}). From now on ${file} describes this one.`);
}

/** Removes the file of a localnet that this process started. The file of another command stays. */
export async function removeLocalnetFile(file = LOCALNET_FILE): Promise<void> {
  const current = await readLocalnetFile(file).catch(() => undefined);
  if (current?.pids.oauth === process.pid) await removeFiles(file);
}

/** Removes the Worker from the file, if the file still names it. */
export async function removeWorkerFromFile(joined: LocalnetFacts, file = LOCALNET_FILE): Promise<void> {
  const current = await readLocalnetFile(file).catch(() => undefined);
  if (current && current.pids.worker === joined.pids.worker) await writeLocalnetFile(withoutWorker(current), file);
}
