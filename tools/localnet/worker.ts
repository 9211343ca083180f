import { createWriteStream, existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseEnv } from 'node:util';
import { wranglerConfigOf } from '../../ops/deploy/deployment-config.ts';
import { EMERGENCY_SECRETS } from '../../ops/deploy/secret-names.ts';
import { NETWORKS } from '../../src/network/networks.ts';
import { type Child, startChild } from '../../terminal/child-process.ts';
import { Failure } from '../../terminal/failure.ts';
import { descendantsOf, filterRunning } from '../../terminal/process-table.ts';
import { PROJECT, runWrangler, startWrangler, storageFolderOf } from '../../terminal/wrangler.ts';
import { GATEKEEPER_KEYS } from './ethereum/gatekeepers.ts';
import type { KmsFacts } from './kms/credentials.ts';
import { KMS_REFERENCES } from './kms/gatekeepers.ts';
import { contractSettings, networkSettings } from './nodes.ts';
import { CONSOLE_ADMIN_CLIENT_ID, CONSOLE_CLIENT_ID, ORGANIZATION_CLAIM } from './oauth/people.ts';
import { SEED_PARTNERS } from './partner/seed-partners.ts';
import { restartOnChange } from './restart-on-change.ts';
import { SOLANA_GATEKEEPER_KEYS } from './solana/gatekeepers.ts';
import type { LocalnetFacts } from './state/localnet-facts.ts';
import { findFreePort, isPortFree } from './state/ports.ts';

/** The Worker in `wrangler dev`. */
export interface Worker {
  /** Origin and base path. */
  readonly baseUrl: string;
  /** Folder for D1, the objects, the log, and its variables in `worker.env`. */
  readonly state: string;
  readonly pids: Readonly<Record<string, number>>;
  /** All its output. */
  readonly logFile: string;
  /** Resolves when wrangler has ended, to its exit code; undefined after a signal. */
  readonly ended: Promise<number | undefined>;
  /** Restarts it if `worker.env` has changed. It does so by itself too, a moment after a change. Resolves when it answers. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

interface WorkerOptions {
  readonly localnet: LocalnetFacts;
  /** Folder for D1, the objects and the log; its database must have been prepared. */
  readonly state: string;
  /** Default: any free port. */
  readonly port?: number | undefined;
  /** URLs by network that the Worker uses instead of the localnet's nodes, in order of preference. */
  readonly rpc?: Endpoints | undefined;
  /** Number of gatekeeper keys on each chain. Default: 1. */
  readonly keys?: number | undefined;
  /** Variables in addition to those of every Worker of the localnet. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** Configuration of a built Worker, from `buildWorker`. Default: wrangler builds the Worker, and again after a change of its sources. */
  readonly config?: string | undefined;
  /** Receives every line that it prints. */
  readonly onLine?: ((line: string) => void) | undefined;
}

type Endpoints = Readonly<Record<string, string | readonly string[]>>;

/** It only ends a start that hangs. A busy machine needs several times as long as an idle one. */
const START_TIMEOUT_MS = 120_000;

/** Throws Failure if the Worker's port is in use. */
export async function demandPort(port: number): Promise<void> {
  if (!(await isPortFree(port))) {
    throw new Failure(`port ${port} is in use: end the program that listens there, or choose another with --port`);
  }
}

/** Migrates D1 in the state folder and adds the localnet's partners. The Worker must not be running. */
export async function prepareDatabase(state: string): Promise<void> {
  const database = ['DB', '--local', '--persist-to', storageFolderOf(state)];
  await runWrangler(['d1', 'migrations', 'apply', ...database]);
  await runWrangler(['d1', 'execute', ...database, '--command', SEED_PARTNERS]);
}

/** Bundles the Worker into the folder, as a release has it, so that its starts take half as long. Returns the path of its configuration. */
export async function buildWorker(folder: string): Promise<string> {
  const build = await startChild(process.execPath, [join(PROJECT, 'tools/build.ts'), '--worker', folder]);
  if ((await build.ended) !== 0) throw new Failure(`the Worker cannot be built:\n${build.lastLines.join('\n')}`);
  const text = await readFile(join(PROJECT, 'wrangler.toml'), 'utf8');
  const built = text
    .replace(/^main = .*$/m, `main = "worker.js"\n${UPLOADED_AS_IT_IS}`)
    // The sections that say how to build.
    .replaceAll(/^\[(alias|define|build)\]\n(?:(?!\[).*\n)*/gm, '')
    .replace(/^directory = "(.*)"$/m, (_, path) => `directory = ${JSON.stringify(join(PROJECT, path))}`);
  const config = join(folder, 'wrangler.toml');
  await writeFile(config, built);
  return config;
}

/** As in the configuration of a deployment (`ops/deploy/render-config.ts`). */
const UPLOADED_AS_IT_IS = `no_bundle = true
find_additional_modules = true
rules = [{ type = "ESModule", globs = ["*.js"] }]`;

/** Returns the base path of a Worker with these variables. `wrangler dev` takes missing ones from `wrangler.toml`. */
export function basePathOf(
  { BASE_PATH }: Readonly<Record<string, string>>,
  defaults: Readonly<Record<string, unknown>> = wranglerConfigOf(undefined).vars,
): string {
  return BASE_PATH ?? String(defaults.BASE_PATH ?? '');
}

/** Starts the Worker with a localnet. Resolves when it answers, and throws Failure if it does not. */
export async function startWorker({
  localnet,
  state,
  port,
  rpc,
  keys,
  variables,
  config,
  onLine,
}: WorkerOptions): Promise<Worker> {
  if (port !== undefined) await demandPort(port);
  const publicPort = port ?? (await findFreePort());
  const envFile = join(state, 'worker.env');
  const given = { ...workerVariablesFor(localnet, { ...localnet.rpc, ...rpc }, keys), ...variables };
  const basePath = basePathOf(given);
  const kept = existsSync(envFile) ? emergencySecretsIn(await readFile(envFile, 'utf8')) : {};
  await writeFile(envFile, envFileOf({ ...VERDICT_SECRETS, ...kept, ...given, BASE_PATH: basePath }), { mode: 0o600 });

  const logFile = join(state, 'worker.log');
  const log = createWriteStream(logFile);
  const options = {
    ip: '127.0.0.1',
    port: publicPort,
    'inspector-port': await findFreePort(),
    'persist-to': storageFolderOf(state),
    'env-file': envFile,
    'show-interactive-dev-session': false,
  };
  const args = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
  const launch = () =>
    startWrangler(['dev', ...args], {
      config,
      // wrangler's files in the home folder go into the state folder, so that another `wrangler dev` does not see them.
      env: { WRANGLER_LOG_PATH: join(state, 'wrangler-logs'), WRANGLER_REGISTRY_PATH: join(state, 'registry') },
      onLine(line) {
        log.write(`${line}\n`);
        onLine?.(line);
      },
    });
  const origin = `http://127.0.0.1:${publicPort}`;
  const health = new URL(origin);
  // With a malformed base path the Worker answers 503, and a log line names the variable.
  health.pathname = `${basePath}/health`;
  let pids: Worker['pids'] = {};
  const child = await restartOnChange(envFile, launch, async (started, isFirst) => {
    pids = { worker: started.pid };
    // With wrong values, a later start answers 503 and logs what is wrong.
    await waitForAnswer(health, started, (status) => status === 200 || !isFirst);
    pids = await pidsOf(started, publicPort);
  });
  const ended = child.ended.then(async (code) => {
    await endLeftovers(Object.values(pids));
    return code;
  });
  const { stop, restart } = child;
  return {
    baseUrl: origin + basePath,
    state,
    logFile,
    ended,
    stop,
    restart,
    get pids() {
      return pids;
    },
  };
}

/**
 * Returns the variables and secrets of a Worker of this localnet, with the nodes for each network.
 * @param keys Number of gatekeeper keys on each chain, at most four. A KMS has two.
 */
export function workerVariablesFor(localnet: LocalnetFacts, rpc: Endpoints, keys = 1): Record<string, string> {
  const endpoints = Object.entries(rpc).map(([network, urls]) => [network, [urls].flat()]);
  return {
    DEPLOYMENT: 'local',
    TOKEN_ISSUER: localnet.issuer,
    TOKEN_AUDIENCE: localnet.audience,
    JWKS_URL: localnet.jwksUrl,
    TOKEN_URL: localnet.tokenUrl,
    ADMIN_AUDIENCE: localnet.operator.audience,
    CONSOLE_CLIENT_ID,
    CONSOLE_ADMIN_CLIENT_ID,
    CONSOLE_PARTNER_CLAIM: ORGANIZATION_CLAIM,
    NETWORKS: networkSettings(contractSettings(localnet.gatewayToken)),
    ...(localnet.kms ? kmsKeys(keys, localnet.kms) : secretKeys(keys, rpc)),
    RPC_ENDPOINTS: JSON.stringify(Object.fromEntries(endpoints)),
    // An endpoint of a mainnet on the command line is intended.
    MAINNETS: NETWORKS.filter(({ network, testnet }) => rpc[network] && !testnet)
      .map(({ network }) => network)
      .join(' '),
  };
}

function secretKeys(count: number, rpc: Endpoints) {
  return {
    ETHEREUM_GATEKEEPER_KEY: GATEKEEPER_KEYS.slice(0, count).join(' '),
    SOLANA_GATEKEEPER_KEY: solanaKeys(count, rpc),
  };
}

function kmsKeys(count: number, { credentials }: KmsFacts) {
  const { ethereum, solana } = KMS_REFERENCES;
  return {
    ETHEREUM_GATEKEEPER_KEY: Object.values(ethereum).slice(0, count).join(' '),
    SOLANA_GATEKEEPER_KEY: Object.values(solana).slice(0, count).join(' '),
    KMS_CREDENTIALS: JSON.stringify(credentials),
  };
}

/** A Solana key serves one network, so mainnet-beta gets the keys that the localnet does not use. */
function solanaKeys(count: number, rpc: Endpoints): string {
  const devnet = SOLANA_GATEKEEPER_KEYS.slice(0, count).join(' ');
  const others = SOLANA_GATEKEEPER_KEYS.slice(count).join(' ') || undefined;
  return rpc['mainnet-beta'] ? JSON.stringify({ devnet, 'mainnet-beta': others }) : devnet;
}

/** The key that signs verdicts, of an account of the Ethereum nodes that does nothing else. */
const VERDICT_SECRETS = {
  VERDICT_KEY: '0xdf57089febbacf7ba0bc227dafbffa9fc08a93fdc68e1e42411a14efcf23656e',
  VERDICT_KEYS: '{"0x8626f6940E2eb28930eFb4CeF49B2d1F2C9C1199": [1795172625]}',
};

/** A start with the same state keeps them, as a release keeps the secrets of a deployment. */
function emergencySecretsIn(envFile: string): Record<string, string> {
  const values = Object.entries(parseEnv(envFile) as Record<string, string>);
  const names: readonly string[] = [...EMERGENCY_SECRETS, 'VERDICT_KEY'];
  return Object.fromEntries(values.filter(([name]) => names.includes(name)));
}

/** Values in single quotes are literal. */
function envFileOf(variables: Readonly<Record<string, string>>): string {
  return Object.entries(variables)
    .map(([name, value]) => `${name}='${value}'\n`)
    .join('');
}

async function waitForAnswer(health: URL, child: Child, isRight: (status: number) => boolean): Promise<void> {
  let over = false;
  child.ended.then(() => {
    over = true;
  });
  let answer = 'no answer';
  for (const deadline = Date.now() + START_TIMEOUT_MS; !over && Date.now() < deadline; await sleep(50)) {
    const response = await fetch(health, { signal: AbortSignal.timeout(5000) }).catch(() => undefined);
    if (response && isRight(response.status)) return;
    if (response) answer = `${response.status} ${await response.text()}`;
  }
  const said = child.lastLines.filter((line) => line.trim() !== '').slice(-10);
  throw new Failure(
    `the Worker did not start (GET ${health.pathname}: ${answer}); put right what wrangler says:\n${said.join('\n')}`,
  );
}

/** Wrangler starts workerd twice: for the Worker, and for a proxy on the public port. */
async function pidsOf({ pid }: Child, port: number): Promise<Record<string, number>> {
  const runtimes = (await descendantsOf(pid)).filter(({ command }) => /workerd serve/.test(command));
  const names = runtimes.map((each) => [
    each.command.includes(`entry=127.0.0.1:${port} `) ? 'proxy' : 'workerd',
    each.pid,
  ]);
  return { worker: pid, ...Object.fromEntries(names) };
}

/** A killed wrangler leaves its runtimes on the port that the next one needs. */
async function endLeftovers(pids: readonly number[]): Promise<void> {
  for (const pid of await filterRunning(pids)) process.kill(pid, 'SIGKILL');
}
