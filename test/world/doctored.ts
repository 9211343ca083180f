import { mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { startChild } from '../../scripts/child-process.ts';
import { PROJECT, storageIn } from '../../scripts/wrangler.ts';
import type { WorldFacts } from './world-facts.ts';

/** What differs from a service that is in order. */
export interface Ailment {
  /** Variables and secrets; undefined: it is not set. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Its database is there, and nothing in it. */
  readonly emptyDatabase?: true;
  readonly args?: readonly string[];
}

export interface Diagnosis {
  readonly code: number | undefined;
  readonly lines: readonly string[];
  /** What a check says, behind its word; undefined: there is no such line. */
  line(name: string): string | undefined;
}

/** What `npm run doctor` says of a service like this one, but for what ails it. */
export async function doctored(
  facts: WorldFacts,
  { environment, emptyDatabase, args = [] }: Ailment,
): Promise<Diagnosis> {
  const { state: healthy = '' } = facts;
  const state = await mkdtemp(join(healthy, 'ailing-'));
  const given = { ...parseEnv(await readFile(join(healthy, 'worker.env'), 'utf8')), ...environment };
  const lines = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : `${name}='${value}'`));
  await writeFile(join(state, 'worker.env'), lines.join('\n'));
  if (!emptyDatabase) await symlink(storageIn(healthy), storageIn(state));
  const world = join(state, 'world.json');
  await writeFile(world, JSON.stringify({ ...facts, state }));
  return doctor(['--local', '--world', world, ...args]);
}

/** Runs the command as it is. */
export async function doctor(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Diagnosis> {
  const lines: string[] = [];
  const program = join(PROJECT, 'scripts', 'doctor.ts');
  const child = await startChild(process.execPath, [program, ...args], { env, onLine: (line) => lines.push(line) });
  const code = await child.ended;
  const line = (name: string) => {
    const found = lines.map((each) => /^(\S+) +(.*)$/.exec(each)).find((each) => each?.[2]?.startsWith(`${name}: `));
    return found ? `${found[1]} ${found[2]?.slice(name.length + 2)}` : undefined;
  };
  return { code, lines, line };
}
