import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { PROJECT } from '../../../scripts/wrangler.ts';
import { compile, installClient } from '../client/install-client.ts';
import { openPreparedState } from '../prepared-state.ts';
import { runProgram } from '../run-program.ts';
import { settingsOf } from './gatepass-command.ts';

/** The compiled command in a folder of its own, as a partner installs it from the packed packages. */

const state = openPreparedState(inject('preparedState'));
afterAll(() => state.close());

const CLI = join(PROJECT, 'cli');
const manifest = JSON.parse(readFileSync(join(CLI, 'package.json'), 'utf8'));
const installed = join(state.folder, 'node_modules/@gatepass/cli');

/** npm installs a package of the workspace beside it if the root has another version. */
function linkPackage(name: string): void {
  const target = join(state.folder, 'node_modules', name);
  mkdirSync(join(target, '..'), { recursive: true });
  const own = join(CLI, 'node_modules', name);
  try {
    readFileSync(join(own, 'package.json'));
    symlinkSync(own, target, 'dir');
  } catch {
    symlinkSync(join(PROJECT, 'node_modules', name), target, 'dir');
  }
}

beforeAll(async () => {
  await installClient(state.folder);
  const packages = Object.keys(manifest.dependencies).filter((name) => name !== '@gatepass/client');
  for (const name of [...packages, '@types']) linkPackage(name);
  const sources = join(state.folder, 'cli');
  for (const part of ['src', 'tsconfig.json', 'package.json'])
    cpSync(join(CLI, part), join(sources, part), { recursive: true });
  await compile(state.folder, ['-p', sources, '--outDir', join(installed, 'dist')]);
  for (const part of [...manifest.files, 'package.json'].filter((name) => name !== 'dist'))
    cpSync(join(CLI, part), join(installed, part), { recursive: true });
});

it('runs from its compiled files, without the sources of the checkout', async () => {
  const command = [process.execPath, '--no-experimental-strip-types', join(installed, manifest.bin.gatepass)];
  const ran = await runProgram([...command, 'login'], settingsOf(inject('gatepass')));
  expect(ran).toMatchObject({
    code: 0,
    stderr: '',
    stdout: expect.stringContaining('permitted: issue (issue:pass)\n'),
  });
});
