import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, inject, it } from 'vitest';
import { PROJECT } from '../../../terminal/wrangler.ts';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import { openStateFolder } from '../../../tools/localnet/state/state-folder.ts';
import { codeBlocks, textOf } from '../../unit/documents/markdown.ts';
import { settingsOf } from '../packages/cli/gatepass-command.ts';
import { compile, installClient } from '../packages/client/install-client.ts';
import { startLocalRegistry } from '../packages/local-registry.ts';
import { runProgram } from '../run-program.ts';

/** The tabs of the quickstart. All blocks of a tab are one program. `readme-quickstart.test.ts` runs those of curl. */

const settings = settingsOf(inject('gatepass'));
const state = openStateFolder();
afterAll(() => state.close());

/** Returns the program of a tab, with a wallet of its own. */
const programOf = (language: string, tab: string) =>
  codeBlocks(textOf('docs/partners/quickstart.md'), `${language} \\[${tab}\\]`)
    .join('')
    .replaceAll(/0x8617E340B3D01FA5F11F306F4090FD50E238070D/g, freshWallet('sepolia'));

const SHOWN = 'ACTIVE ACTIVE\nFROZEN FROZEN\nACTIVE ACTIVE\nsepolia 6\n';

it('the tab for TypeScript is a strict program that issues, freezes, unfreezes and finds a pass', async () => {
  await installClient(state.folder);
  const program = join(state.folder, 'quickstart.mts');
  const node = join(state.folder, 'node.d.ts');
  writeFileSync(program, programOf('ts', 'TypeScript'));
  writeFileSync(node, 'declare const process: { readonly env: Record<string, string | undefined> };');
  await compile(state.folder, [
    '--strict',
    '--target',
    'es2022',
    '--module',
    'nodenext',
    '--skipDefaultLibCheck',
    node,
    program,
  ]);
  const ran = await runProgram([process.execPath, join(state.folder, 'quickstart.mjs')], settings);
  expect(ran).toEqual({ code: 0, stdout: SHOWN, stderr: '' });
});

it('the tab for TypeScript runs as it is after `npm init` and its install line', async () => {
  const folder = join(state.folder, 'new-project');
  mkdirSync(folder);
  const program = programOf('ts', 'TypeScript');
  const [, install = '', file = ''] = /^\/\/ (npm install .+)\n\/\/ .* node (\S+)\n/.exec(program) ?? [];
  writeFileSync(join(folder, file), program);
  const registry = await startLocalRegistry();
  const lines = ['npm init --yes > init.log', `${install} > install.log`, `"${process.execPath}" ${file}`];
  const ran = await runProgram(['bash', '-ec', `cd "${folder}"\n${lines.join('\n')}`], {
    ...settings,
    HOME: folder,
    npm_config_registry: registry.url,
    npm_config_cache: join(folder, 'cache'),
    npm_config_audit: 'false',
    npm_config_update_notifier: 'false',
  });
  registry.close();
  expect(ran).toEqual({ code: 0, stdout: SHOWN, stderr: '' });
  expect(registry.asked.filter((name) => /gatepass/.test(name))).toEqual([]);
});

it('the tab for Python fetches its module with its first line', async () => {
  const folder = join(state.folder, 'fetched');
  mkdirSync(folder);
  const [, fetchModule = ''] = /^# (curl .+)\n/.exec(programOf('python', 'Python')) ?? [];
  const lines = [`cd "${folder}"`, fetchModule, 'python3 -B -c "import gatepass; print(gatepass.Gatepass.__name__)"'];
  const ran = await runProgram(['bash', '-ec', lines.join('\n')], { ...settings, HOME: folder });
  expect(ran).toEqual({ code: 0, stdout: 'Gatepass\n', stderr: '' });
});

it('the tab for Python does the same with the module beside it', async () => {
  const program = join(state.folder, 'quickstart.py');
  copyFileSync(join(PROJECT, 'examples/gatepass.py'), join(state.folder, 'gatepass.py'));
  writeFileSync(program, programOf('python', 'Python'));
  const ran = await runProgram(['python3', '-B', program], settings);
  expect(ran).toEqual({ code: 0, stdout: SHOWN, stderr: '' });
});

it('the tab for the command does the same', async () => {
  const gatepass = `gatepass() { "${process.execPath}" -- "${join(PROJECT, 'packages/cli/bin/gatepass.js')}" "$@"; }`;
  // The guide of the command has the same line, which `install-from-the-service.full.test.ts` runs.
  const [install, ...lines] = programOf('sh', 'Command').trim().split('\n');
  expect(codeBlocks(textOf('docs/partners/command.md'), 'sh').join('')).toContain(`${install}\n`);
  expect(lines).toHaveLength(5);
  const ran = await runProgram(['bash', '-ec', [gatepass, ...lines].join('\n')], settings);
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringMatching(/ACTIVE/) });
});
