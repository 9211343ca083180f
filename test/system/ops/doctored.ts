import { generateKeyPairSync } from 'node:crypto';
import { cp, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { base58 } from '@scure/base';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { NODES } from '../../../localnet/nodes.ts';
import type { LocalnetFacts } from '../../../localnet/state/localnet-facts.ts';
import { startChild } from '../../../scripts/child-process.ts';
import { PROJECT, storageIn } from '../../../scripts/wrangler.ts';

/** What differs from a service that is in order. */
export interface Ailment {
  /** Variables and secrets; undefined: it is not set. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Its database is there, and nothing in it. */
  readonly emptyDatabase?: true;
  /** Of a partner, as `npm run partner -- set` takes them. */
  readonly limits?: readonly string[];
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
  facts: LocalnetFacts,
  { environment, emptyDatabase, limits, args = [] }: Ailment,
): Promise<Diagnosis> {
  const { state: healthy = '' } = facts;
  const state = await mkdtemp(join(healthy, 'ailing-'));
  const given = { ...parseEnv(await readFile(join(healthy, 'worker.env'), 'utf8')), ...environment };
  const lines = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : `${name}='${value}'`));
  await writeFile(join(state, 'worker.env'), lines.join('\n'));
  if (limits) await limit(limits, healthy, state);
  else if (!emptyDatabase) await symlink(storageIn(healthy), storageIn(state));
  const localnet = join(state, 'localnet.json');
  await writeFile(localnet, JSON.stringify({ ...facts, state }));
  return doctor(['--local', '--localnet', localnet, ...args]);
}

/** In a copy: the Worker runs, and its partners stay as they are. */
async function limit(limits: readonly string[], healthy: string, state: string): Promise<void> {
  const [from = '', to = ''] = [healthy, state].map((folder) => join(storageIn(folder), 'v3', 'd1'));
  await cp(from, to, { recursive: true });
  const program = join(PROJECT, 'ops', 'partner.ts');
  const child = await startChild(process.execPath, [program, 'set', ...limits, '--local', '--state', state]);
  if ((await child.ended) !== 0) throw new Error(child.lastLines.join('\n'));
}

/** Runs the command as it is. */
export async function doctor(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Diagnosis> {
  const lines: string[] = [];
  const program = join(PROJECT, 'ops', 'doctor.ts');
  const child = await startChild(process.execPath, [program, ...args], { env, onLine: (line) => lines.push(line) });
  const code = await child.ended;
  const line = (name: string) => {
    const found = lines.map((each) => /^(\S+) +(.*)$/.exec(each)).find((each) => each?.[2]?.startsWith(`${name}: `));
    return found ? `${found[1]} ${found[2]?.slice(name.length + 2)}` : undefined;
  };
  return { code, lines, line };
}

/** The networks of the localnet, with these settings beside its own. */
export function settings(changes: Readonly<Record<string, object>>): string {
  const all = NODES.map(({ network, settings: own }) => [network, { ...own, ...changes[network] }]);
  return JSON.stringify(Object.fromEntries(all));
}

/** Keys that no chain has heard of, as the secrets have them, and their addresses. */
export function strangers() {
  const ethereum = generatePrivateKey();
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const end = (der: Buffer) => der.subarray(-32);
  const address = end(publicKey.export({ format: 'der', type: 'spki' }));
  const solana = Buffer.concat([end(privateKey.export({ format: 'der', type: 'pkcs8' })), address]);
  return {
    ethereum,
    onEthereum: privateKeyToAddress(ethereum),
    solana: base58.encode(solana),
    onSolana: base58.encode(address),
  };
}
