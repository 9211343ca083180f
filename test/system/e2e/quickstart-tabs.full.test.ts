import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, inject, it } from 'vitest';
import { PROJECT } from '../../../terminal/wrangler.ts';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import { openStateFolder } from '../../../tools/localnet/state/state-folder.ts';
import { codeBlocks, textOf } from '../../unit/documents/markdown.ts';
import { settingsOf } from '../packages/cli/gatepass-command.ts';
import { compile, installClient } from '../packages/client/install-client.ts';
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

it('the tab for Python does the same with the module beside it', async () => {
  const program = join(state.folder, 'quickstart.py');
  copyFileSync(join(PROJECT, 'examples/gatepass.py'), join(state.folder, 'gatepass.py'));
  writeFileSync(program, programOf('python', 'Python'));
  const ran = await runProgram(['python3', '-B', program], settings);
  expect(ran).toEqual({ code: 0, stdout: SHOWN, stderr: '' });
});

it('the tab for the command does the same', async () => {
  const gatepass = `gatepass() { "${process.execPath}" -- "${join(PROJECT, 'packages/cli/bin/gatepass.js')}" "$@"; }`;
  const lines = programOf('sh', 'Command').trim().split('\n');
  expect(lines).toHaveLength(5);
  const ran = await runProgram(['bash', '-ec', [gatepass, ...lines].join('\n')], settings);
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringMatching(/ACTIVE/) });
});
