import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { compileSolidity } from '../../../tools/contracts/compile.ts';
import { openStateFolder } from '../../../tools/localnet/state/state-folder.ts';
import { codeBlocks, textOf } from '../../unit/documents/markdown.ts';
import { runProgram } from '../run-program.ts';
import { settingsOf } from './cli/gatepass-command.ts';
import { startLocalRegistry } from './local-registry.ts';

/** Installs the packages with the commands of the documents and a real npm, in folders outside the repository. */

const state = openStateFolder();
const settings = settingsOf(inject('gatepass'));
let registry: Awaited<ReturnType<typeof startLocalRegistry>>;
beforeAll(async () => {
  registry = await startLocalRegistry();
});
afterAll(() => {
  registry?.close();
  state.close();
});

/** Returns the commands that install, in the order of the document. */
const installationOf = (document: string) =>
  codeBlocks(textOf(document), 'sh')
    .flatMap((block) => block.trim().split('\n'))
    .filter((line) => /^npm install |\/downloads\//.test(line));

/** Runs a command line in a new folder, as a person with only a base URL would. npm knows no other registry. */
async function inNewFolder(name: string, lines: readonly string[]) {
  const folder = join(state.folder, name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "name": "a-project", "version": "1.0.0", "private": true }');
  const env = {
    ...settings,
    HOME: folder,
    npm_config_registry: registry.url,
    npm_config_cache: join(folder, 'cache'),
    npm_config_prefix: join(folder, 'global'),
    npm_config_audit: 'false',
    npm_config_update_notifier: 'false',
  };
  const ran = await runProgram(['sh', '-ec', `cd '${folder}'\n${lines.join('\n')}`], env);
  return { folder, ran, env };
}

interface Listed {
  readonly name: string;
  readonly file: string;
  readonly integrity: string;
}
async function listed(): Promise<readonly Listed[]> {
  const answer = await fetch(`${settings.GATEPASS_URL.replace(/\/$/, '')}/downloads/index.json`);
  return ((await answer.json()) as { downloads: readonly Listed[] }).downloads;
}

describe('the command', () => {
  it.each(['docs/partners/command.md', 'packages/cli/README.md'])(
    'is installed as %s says, without a package that nobody owns, and logs in',
    async (document) => {
      const asked = registry.asked.length;
      const lines = installationOf(document);
      expect(lines).toHaveLength(1);
      const { ran, folder, env } = await inNewFolder(document.replaceAll('/', '-'), lines);
      expect(ran).toMatchObject({ code: 0 });
      expect(registry.asked.slice(asked).filter((name) => /gatepass/.test(name))).toEqual([]);
      const login = await runProgram([join(folder, 'global/bin/gatepass'), 'login'], env);
      expect(login).toMatchObject({
        code: 0,
        stderr: '',
        stdout: expect.stringContaining('permitted: issue (issue:pass)\n'),
      });
    },
  );
});

describe('the client', () => {
  it('is installed as docs/partners/client.md says, and the lockfile has the hash of the list', async () => {
    const lines = installationOf('docs/partners/client.md');
    expect(lines).toHaveLength(2);
    const asked = registry.asked.length;
    const { ran, folder } = await inNewFolder('client', lines);
    expect(ran).toMatchObject({ code: 0 });
    expect(registry.asked.slice(asked).filter((name) => /gatepass/.test(name))).toEqual([]);
    const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
    const client = (await listed()).find(({ name }) => name === '@gatepass/client');
    expect(packages['node_modules/@gatepass/client']).toMatchObject({
      resolved: `file:${client?.file}`,
      integrity: client?.integrity,
    });
  });

  it('is refused by npm if the file is another one than that of the lockfile', async () => {
    const [download = '', install = ''] = installationOf('docs/partners/client.md');
    const { ran } = await inNewFolder('tampered', [
      download,
      install,
      'rm -rf node_modules cache',
      'gunzip -c gatepass-client-0.1.0.tgz | sed s/GatepassError/GatepassErr0r/g | gzip > changed.tgz',
      'mv changed.tgz gatepass-client-0.1.0.tgz',
      'npm ci',
    ]);
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('EINTEGRITY') });
  });

  it.each(['import', 'require'])('loads by %s, in Node as it is', async (way) => {
    const { folder } = await inNewFolder(`by-${way}`, installationOf('docs/partners/client.md'));
    const load = way === 'import' ? "await import('@gatepass/client')" : "require('@gatepass/client')";
    const file = join(folder, way === 'import' ? 'a.mjs' : 'a.cjs');
    writeFileSync(file, `console.log(Object.keys(${load}).includes('createGatepass'));\n`);
    const ran = await runProgram([process.execPath, file], {});
    expect(ran).toMatchObject({ code: 0, stdout: 'true\n', stderr: '' });
  });
});

describe('the package for pages', () => {
  it('is installed as docs/partners/react.md says, with the client inside, and its core loads without React', async () => {
    const lines = installationOf('docs/partners/react.md');
    expect(lines).toHaveLength(1);
    const asked = registry.asked.length;
    const { ran, folder } = await inNewFolder('react', lines);
    expect(ran).toMatchObject({ code: 0 });
    expect(registry.asked.slice(asked).filter((name) => /gatepass|openapi/.test(name))).toEqual([]);
    const program = `import { watchPass } from '@gatepass/react/core';
      console.log(watchPass({ wallet: undefined, gatekeeperNetwork: 'key', reader: undefined }).snapshot().state);`;
    writeFileSync(join(folder, 'core.mjs'), program);
    expect(await runProgram(['node', join(folder, 'core.mjs')], {})).toMatchObject({ code: 0, stdout: 'no-wallet\n' });
  });
});
describe('the contracts', () => {
  it('are installed as packages/contracts/README.md says, and its example compiles with the installed files alone', async () => {
    const lines = installationOf('packages/contracts/README.md');
    expect(lines).toHaveLength(2);
    const asked = registry.asked.length;
    const { ran, folder } = await inNewFolder('contracts', lines);
    expect(ran).toMatchObject({ code: 0 });
    expect(registry.asked.slice(asked)).toEqual([]);
    const [example = ''] = codeBlocks(textOf('packages/contracts/README.md'), 'solidity');
    const installed = join(folder, 'node_modules/@gatepass/contracts');
    const { warnings, contract } = compileSolidity({ 'Sale.sol': example }, { own: installed });
    expect(warnings).toEqual([]);
    expect(contract('Sale.sol', 'Sale').abi.map((each) => 'name' in each && each.name)).toContain('buy');
    const artifact = JSON.parse(readFileSync(join(installed, 'artifacts/UniswapAllowlistChecker.json'), 'utf8'));
    const checker = compileSolidity({ 'x.sol': CHECKER_ONLY }, { own: installed }).contract(
      '@gatepass/contracts/UniswapAllowlistChecker.sol',
      'UniswapAllowlistChecker',
    );
    expect(artifact.bytecode).toBe(checker.bytecode);
  });
});

const CHECKER_ONLY =
  '// SPDX-License-Identifier: MIT\npragma solidity ^0.8.13;\nimport "@gatepass/contracts/UniswapAllowlistChecker.sol";';
