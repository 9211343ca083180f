import { randomUUID } from 'node:crypto';
import { globSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import { numberToHex, parseEther } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { expect, inject } from 'vitest';
import type { BuildName } from '../../../ops/network/gateway-build.ts';
import { readSecrets } from '../../../ops/nodes/deployment.ts';
import { stopChildren } from '../../../terminal/child-process.ts';
import { PROJECT, runWrangler, storageFolderOf } from '../../../terminal/wrangler.ts';
import { startLocalnet } from '../../../tools/localnet/localnet.ts';
import { fetchToken } from '../../../tools/localnet/partner/fetch-token.ts';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import { LocalnetPartner } from '../../../tools/localnet/partner/localnet-partner.ts';
import { findFreePort } from '../../../tools/localnet/state/ports.ts';
import type { StateFolder } from '../../../tools/localnet/state/state-folder.ts';
import { startWorker, type Worker } from '../../../tools/localnet/worker.ts';
import { callNode } from '../../call-node.ts';
import { fillIn } from '../../runbook-page.ts';
import { databaseFolderOf, LocalDatabase } from '../ops/local-database.ts';
import { pollUntil } from '../poll-until.ts';
import { openPreparedState } from '../prepared-state.ts';
import { runProgram } from '../run-program.ts';

/** The result of a command of the document. */
export interface Followed {
  readonly code: number | null;
  /** Both streams. */
  readonly printed: string;
  /** The standard output, like the answer to a curl. */
  readonly answer: string;
}

type Values = Readonly<Record<string, string>>;
/** URLs by network, in order of preference. */
type Endpoints = Readonly<Record<string, string | readonly string[]>>;

interface Situation {
  /** Variables of the Worker, beside the usual ones. */
  readonly variables?: Values;
  /** Returns the URLs that the Worker uses, from those of the localnet's nodes. */
  readonly rpc?: (nodes: Values) => Endpoints | Promise<Endpoints>;
  /** Whether all keys are in a KMS. */
  readonly kms?: boolean;
  /** The contract of the Ethereum nodes. Default: the protocol's. */
  readonly contract?: BuildName;
  /** URL where the operator gets tokens, instead of the localnet's. */
  readonly tokenUrl?: string;
}

/** The file to which a restore returns. */
const COPY = 'database.sqlite';
const DONE: Followed = { code: 0, printed: '', answer: '' };

/** The first account of the Ethereum nodes is the authority of the gatekeeper networks. */
const AUTHORITY_KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';

/** A service with its localnet, and the terminal of its operator. */
export class Rehearsal {
  readonly localnet: Awaited<ReturnType<typeof startLocalnet>>;
  readonly state: StateFolder;
  /** The folder in which the operator works. */
  readonly folder: string;
  /** The contracts that trust the verdict keys of the service, by network. */
  verdictContracts: Values = {};
  readonly #port: number;
  readonly #rpc: Endpoints;
  readonly #tokenUrl: string;
  /** The configuration of the built Worker. */
  #config = inject('builtWorker');
  #variables: Values;
  #worker: Worker | undefined;

  /** Starts a service. */
  static async open({ variables = {}, rpc, kms, contract, tokenUrl }: Situation = {}) {
    const [localnet, port] = await Promise.all([startLocalnet({ kms, contract }), findFreePort()]);
    const endpoints = (await rpc?.(localnet.facts.rpc)) ?? localnet.facts.rpc;
    const rehearsal = new Rehearsal(localnet, port, variables, endpoints, tokenUrl ?? localnet.facts.tokenUrl);
    await rehearsal.#start();
    return rehearsal;
  }

  private constructor(
    localnet: Rehearsal['localnet'],
    port: number,
    variables: Values,
    rpc: Endpoints,
    tokenUrl: string,
  ) {
    this.#tokenUrl = tokenUrl;
    this.localnet = localnet;
    this.state = openPreparedState(inject('preparedState'));
    this.folder = mkdtempSync(join(this.state.folder, 'operator-'));
    this.#port = port;
    this.#variables = variables;
    this.#rpc = rpc;
  }

  async close(): Promise<void> {
    await this.#worker?.stop();
    await this.localnet.stop();
    await stopChildren();
    this.state.close();
  }

  get baseUrl(): string {
    return this.#worker?.baseUrl ?? '';
  }

  async #start(): Promise<void> {
    this.#worker = await startWorker({
      localnet: this.localnet.facts,
      state: this.state.folder,
      port: this.#port,
      rpc: this.#rpc,
      variables: this.#variables,
      config: this.#config,
    });
  }

  /** The operator edits variables. They are in service after the next deployment. */
  edit(variables: Values): void {
    this.#variables = { ...this.#variables, ...variables };
  }

  /** Puts the edited variables into service. The secrets stay. */
  async deploy(): Promise<void> {
    this.#change(this.#variables);
    await this.#worker?.restart();
  }

  /** Stops the Worker. */
  async stopWorker(): Promise<void> {
    await this.#worker?.stop();
  }

  /** Stops the Worker, and starts it again with new isolates. */
  async restartWorker(): Promise<void> {
    await this.stopWorker();
    await this.#start();
  }

  /** Returns a variable or secret of the Worker; undefined if it has none of that name. */
  secret(name: string): string | undefined {
    return this.#values()[name];
  }

  /** Writes a file into the operator's folder. Returns its path. */
  write(name: string, content: string): string {
    const file = join(this.folder, name);
    writeFileSync(file, content, { mode: 0o600 });
    return file;
  }

  /** Returns the content of a file in the operator's folder. */
  read(name: string): string {
    return readFileSync(join(this.folder, name), 'utf8');
  }

  /** Writes secrets as the document shows them. Returns the path. */
  writeSecrets(name: string, secrets: Values): string {
    return this.write(name, linesOf(secrets));
  }

  /** Writes the key of the authority of all gatekeeper networks on Ethereum-type networks. Returns the path. */
  writeAuthority(): string {
    return this.write('authority.hex', AUTHORITY_KEY);
  }

  /**
   * Runs a command of the document with these values for its placeholders. Three parts differ from a deployment: the localnet's options
   * replace `--env ENV`, and the Worker takes new variables and secrets from its own file instead of a deployment or a change of secrets.
   */
  async run(documented: string, values: Values = {}): Promise<Followed> {
    const filled = fillIn(documented, values);
    const [, secrets] = /(?:--secrets|secret bulk) (\S+)/.exec(filled) ?? [];
    if (/^npm run wrangler -- secret bulk \S+ --env ENV$/.test(filled)) {
      this.edit(strings(readSecrets(join(this.folder, secrets ?? ''))));
      await this.deploy();
      return DONE;
    }
    if (filled === 'npm run deploy -- --env ENV') {
      await this.deploy();
      return DONE;
    }
    const [, name, args] = /^npm run (\w+) -- (.*)$/.exec(filled) ?? [];
    if (name === undefined || args === undefined) return this.#runInShell(filled);
    if (name === 'restore') return this.#restore(args);
    // It changes the secrets that are in service, and has all of them.
    const isPlanned = secrets !== undefined && name !== 'verdict';
    return this.#runCommand(name, args, isPlanned ? join(this.folder, secrets) : undefined);
  }

  /** Runs a command that must succeed, and returns the JSON that it prints. */
  async answerOf<T>(documented: string, values?: Values): Promise<T> {
    const { code, printed, answer } = await this.run(documented, values);
    expect(code, printed).toBe(0);
    return JSON.parse(answer);
  }

  async #runCommand(name: string, args: string, secrets: string | undefined): Promise<Followed> {
    const words = args
      .replace(/--env ENV( --secrets \S+)?( --url \S+)?/, `--local --localnet ${this.#describe(secrets)}`)
      .replaceAll(/(?<= )[\w-]+\.(?:csv|jsonl?|secrets)\b/g, (file) => join(this.folder, file))
      .split(' ');
    return this.#runProgram(name, [...words, ...this.#answersOf(name, words)]);
  }

  async #runProgram(name: string, words: readonly string[]): Promise<Followed> {
    const command = [process.execPath, join(PROJECT, 'ops', `${name}.ts`), ...words];
    const { code, stdout, stderr } = await runProgram(command, { HOME: this.folder });
    return { code, printed: stdout + stderr, answer: stdout };
  }

  /** The operator answers the question of the command. */
  #answersOf(command: string, [verb = '']: readonly string[]): readonly string[] {
    if (['show', 'trust', 'list'].includes(verb)) return [];
    if (command === 'network' || command === 'verdict')
      return ['--yes', '--state', join(this.folder, 'transactions.json')];
    return command === 'emergency' ? ['--yes'] : [];
  }

  async #runInShell(command: string): Promise<Followed> {
    const { code, stdout, stderr } = await runProgram(['bash', '-c', `cd ${this.folder} && ${command}`], {
      GATEPASS_URL: this.baseUrl,
      TOKEN: await this.#operatorToken(),
    });
    return { code, printed: stdout + stderr, answer: stdout };
  }

  /**
   * Describes the service for commands of the localnet. They take the secrets from the Worker's own file, or from a copy with the secrets of
   * a file that is not in service yet. Returns the path.
   */
  #describe(secrets: string | undefined): string {
    const { folder: state } = this.state;
    if (secrets === undefined) return this.write('localnet.json', this.#facts(state));
    const planned = mkdtempSync(join(this.folder, 'planned-'));
    writeFileSync(join(planned, 'worker.env'), linesOf({ ...this.#values(), ...strings(readSecrets(secrets)) }));
    // The databases are those of the service.
    symlinkSync(storageFolderOf(state), storageFolderOf(planned));
    return this.write('localnet.json', this.#facts(planned));
  }

  #facts = (state: string) =>
    JSON.stringify({
      ...this.localnet.facts,
      verdictContracts: this.verdictContracts,
      tokenUrl: this.#tokenUrl,
      baseUrl: this.baseUrl,
      state,
    });

  /** The variables and secrets of the Worker. */
  #values = () => strings(parseEnv(readFileSync(join(this.state.folder, 'worker.env'), 'utf8')));

  #change(values: Values): void {
    writeFileSync(join(this.state.folder, 'worker.env'), linesOf({ ...this.#values(), ...values }));
  }

  #operatorToken = () => fetchToken(this.#tokenUrl, this.localnet.facts.operator);

  /** Reads from the admin API. */
  async admin<T>(path: string): Promise<T> {
    const headers = { authorization: `Bearer ${await this.#operatorToken()}` };
    const response = await fetch(`${this.baseUrl}${path}`, { headers });
    expect(response.status, path).toBe(200);
    return response.json() as Promise<T>;
  }

  partner(name: string): LocalnetPartner {
    return new LocalnetPartner({ ...this.localnet.facts, baseUrl: this.baseUrl }, name);
  }

  /** Copies the database, as the moment to which a restore returns. The Worker restarts. */
  async copyDatabase(): Promise<void> {
    await this.stopWorker();
    new LocalDatabase(this.state.folder).write(`VACUUM INTO '${join(this.folder, COPY)}'`);
    await this.#start();
  }

  /** A local database has no history, so a copy replaces it, while the Worker is stopped. */
  async #restore(args: string): Promise<Followed> {
    await this.stopWorker();
    const source = `--local --state ${this.state.folder} --file ${join(this.folder, COPY)}`;
    const words = args
      .replace('--env ENV', source)
      .replace(/ --timestamp \S+/, '')
      .split(' ');
    const restored = await this.#runProgram('restore', [...words, '--yes']);
    await this.#start();
    return restored;
  }

  /** Binds another empty database, `DB_1`. The Worker restarts. */
  async addDatabase(): Promise<void> {
    await this.stopWorker();
    const built = readFileSync(this.#config, 'utf8').replace('"worker.js"', () =>
      JSON.stringify(join(dirname(this.#config), 'worker.js')),
    );
    const migrations = JSON.stringify(join(PROJECT, 'migrations'));
    const database = `binding = "DB_1"\ndatabase_name = "gatepass-1"\ndatabase_id = "${randomUUID()}"`;
    const bound = `${built}\n[[d1_databases]]\n${database}\nmigrations_dir = ${migrations}\n`;
    this.#config = this.write('wrangler.toml', bound);
    const where = ['--local', '--persist-to', storageFolderOf(this.state.folder)];
    await runWrangler(['d1', 'migrations', 'apply', 'DB_1', ...where, '--config', this.#config]);
    await this.#start();
  }

  /** Destroys the database, as of a lost one: each statement fails from then on. The Worker restarts. */
  async loseDatabase(): Promise<void> {
    await this.stopWorker();
    for (const file of globSync(join(databaseFolderOf(this.state.folder), '*', '*.sqlite*')))
      if (!file.includes('metadata')) writeFileSync(file, 'lost');
    await this.#start();
  }

  /**
   * Makes each statement that adds or changes a row fail, as in a database of the maximum size. The service reads no more of an error than
   * that the database failed. The Worker restarts.
   */
  async fillDatabase(): Promise<void> {
    await this.#changeTables((table, statement) => {
      const refusal = "BEGIN SELECT RAISE(ABORT, 'Exceeded maximum DB size'); END";
      return `CREATE TRIGGER full_${statement}_${table} BEFORE ${statement} ON ${table} ${refusal}`;
    });
  }

  /** Undoes `fillDatabase`. The Worker restarts. */
  async makeRoom(): Promise<void> {
    await this.#changeTables((table, statement) => `DROP TRIGGER full_${statement}_${table}`);
  }

  async #changeTables(change: (table: string, statement: 'INSERT' | 'UPDATE') => string): Promise<void> {
    await this.stopWorker();
    const database = new LocalDatabase(this.state.folder);
    const ofService = `type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE '\\_cf%' ESCAPE '\\'`;
    const tables = database.rows(`SELECT name FROM sqlite_schema WHERE ${ofService}`).map(({ name }) => String(name));
    for (const table of tables) database.write([change(table, 'INSERT'), change(table, 'UPDATE')].join(';'));
    await this.#start();
  }

  /** Waits until a pass is in the list of the stuck passes, however short it has waited, with a reason that begins with this text. */
  async untilStuck(wallet: string, reason = ''): Promise<void> {
    type Stuck = { readonly pass: { readonly walletAddress: string }; readonly reason: string };
    const isStuck = async () => {
      const { stuck } = await this.admin<{ stuck: Stuck[] }>('/admin/stuck?olderThan=0');
      const found = stuck.find(({ pass }) => pass.walletAddress.toLowerCase() === wallet.toLowerCase());
      return found?.reason.startsWith(reason);
    };
    await pollUntil(isStuck, Boolean);
  }

  /** Issues a pass that then waits for this reason. Resolves to its wallet. */
  async issueStuck(network: string, reason?: string): Promise<string> {
    const issued = freshWallet(network);
    await this.partner('acme').issue(network, issued);
    await this.untilStuck(issued, reason);
    return issued;
  }

  /** The complete `RPC_ENDPOINTS` of the service. */
  get endpoints(): string {
    const first = Object.entries(this.#rpc).map(([network, urls]) => [network, [urls].flat()]);
    return this.#variables.RPC_ENDPOINTS ?? JSON.stringify(Object.fromEntries(first));
  }

  node(network: string, method: string, ...params: unknown[]) {
    return callNode(this.localnet.facts.rpc[network] ?? '', method, params);
  }

  setBalance(network: string, address: string, coins: string) {
    return this.node(network, 'anvil_setBalance', address, numberToHex(parseEther(coins)));
  }

  /** Without blocks, no pass settles by itself before the next command runs, however slow the machine is. */
  async withoutBlocks<T>(network: string, work: () => Promise<T>): Promise<T> {
    await this.node(network, 'evm_setIntervalMining', 0);
    return work().finally(() => this.node(network, 'evm_setIntervalMining', 1));
  }
}

/** Returns an address that nobody has used. */
export const wallet = () => privateKeyToAddress(generatePrivateKey());

const strings = (values: object): Values =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));

const linesOf = (values: Values): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}='${value}'\n`)
    .join('');
