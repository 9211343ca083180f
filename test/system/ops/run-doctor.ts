import { generateKeyPairSync } from 'node:crypto';
import { cp, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { base58 } from '@scure/base';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { runDoctorCommand } from '../../../ops/doctor.ts';
import type { LocalnetFacts } from '../../../tools/localnet/state/localnet-facts.ts';
import { runProgram } from '../run-program.ts';
import { databaseFolderOf, LocalDatabase } from './local-database.ts';
import { runCommand } from './run-command.ts';

/** Changes to a healthy service. */
export interface Misconfiguration {
  /** Variables and secrets to set. With undefined, a variable is removed. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Replaces the database with an empty one. */
  readonly emptyDatabase?: true;
  /** The networks on which clients may issue. */
  readonly limits?: Readonly<Record<string, readonly string[]>>;
  /** A gatekeeper network that an earlier release registered, and that the database would refuse now. */
  readonly gatekeeperNetwork?: string;
  /** The number of partners to add, each with a gatekeeper network of its own. */
  readonly partners?: number;
  readonly args?: readonly string[];
}

export interface Diagnosis {
  readonly code: number;
  readonly lines: readonly string[];
  /** Returns the verdict and the text of a check's line, or undefined if the check has no line. */
  line(name: string): string | undefined;
}

/** Runs `npm run doctor` on a copy of this service's state with some changes. */
export async function diagnose(
  facts: LocalnetFacts,
  { environment, emptyDatabase, limits, gatekeeperNetwork, partners, args = [] }: Misconfiguration,
  run = runDoctor,
): Promise<Diagnosis> {
  const { state: healthy = '' } = facts;
  const state = await mkdtemp(join(healthy, 'misconfigured-'));
  const given = { ...parseEnv(await readFile(join(healthy, 'worker.env'), 'utf8')), ...environment };
  const lines = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : `${name}='${value}'`));
  await writeFile(join(state, 'worker.env'), lines.join('\n'));
  // The changes go into a copy, so that the running Worker keeps its partners.
  if (!emptyDatabase) await cp(databaseFolderOf(healthy), databaseFolderOf(state), { recursive: true });
  if (limits) limitNetworks(limits, state);
  if (gatekeeperNetwork) addGatekeeperNetwork(gatekeeperNetwork, state);
  if (partners) addPartners(partners, state);
  const localnet = join(state, 'localnet.json');
  await writeFile(localnet, JSON.stringify({ ...facts, state }));
  return run(['--local', '--localnet', localnet, ...args]);
}

function limitNetworks(partners: Readonly<Record<string, readonly string[]>>, state: string): void {
  new LocalDatabase(state).use((db) => {
    const set = db.prepare('UPDATE partners SET networks = ? WHERE client_id = ?');
    for (const [clientId, networks] of Object.entries(partners)) set.run(JSON.stringify(networks), clientId);
  });
}

/** Adds the row of a gatekeeper network after removing the trigger that would refuse it. */
function addGatekeeperNetwork(key: string, state: string): void {
  new LocalDatabase(state).use((db) => {
    db.exec('DROP TRIGGER IF EXISTS gatekeeper_networks_derive_large_slots');
    db.prepare('INSERT INTO gatekeeper_networks (key) VALUES (?)').run(key);
  });
}

function addPartners(count: number, state: string): void {
  new LocalDatabase(state).use((db) => {
    db.exec('BEGIN');
    const network = db.prepare('INSERT INTO gatekeeper_networks (key) VALUES (?)');
    const partner = db.prepare('INSERT INTO partners (client_id, name, gatekeeper_network) VALUES (?, ?, ?)');
    for (let index = 0; index < count; index += 1) {
      const key = new Uint8Array(32).fill(200);
      new DataView(key.buffer).setUint32(0, index + 1);
      network.run(base58.encode(key));
      partner.run(`many-${index}`, 'One of many', base58.encode(key));
    }
    db.exec('COMMIT');
  });
}

/** Runs `npm run doctor` with these arguments in this process, which saves the start of a process. */
export async function runDoctor(args: readonly string[]): Promise<Diagnosis> {
  const { code, lines } = await runCommand(runDoctorCommand, args);
  return { code, lines, line: finderIn(lines) };
}

/** Runs `npm run doctor` as an operator would. */
export async function spawnDoctor(args: readonly string[]): Promise<Diagnosis> {
  const { code, stdout, stderr } = await runProgram([process.execPath, 'ops/doctor.ts', ...args], {});
  const lines = (stdout + stderr).trimEnd().split('\n');
  return { code: code ?? -1, lines, line: finderIn(lines) };
}

const finderIn = (lines: readonly string[]) => (name: string) => {
  const found = lines.map((each) => /^(\S+) +(.*)$/.exec(each)).find((each) => each?.[2]?.startsWith(`${name}: `));
  return found ? `${found[1]} ${found[2]?.slice(name.length + 2)}` : undefined;
};

/** Returns new keys in the form of the secrets, and their addresses. No chain knows them. */
export function unknownKeys() {
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
