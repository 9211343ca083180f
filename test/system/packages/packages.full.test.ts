import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROJECT } from '../../../terminal/wrangler.ts';
import { openStateFolder } from '../../../tools/localnet/state/state-folder.ts';
import { fileOf, PACKAGES, packages } from '../../../tools/packages/pack.ts';
import { runProgram } from '../run-program.ts';
import { compile, installClient } from './client/install-client.ts';

/** The packages as a registry, npm and TypeScript read them. */

const state = openStateFolder();
afterAll(() => state.close());
const all = packages().map((each) => ({ ...each, file: join(PACKAGES, fileOf(each)) }));
const program = (name: string) => join(PROJECT, 'node_modules/.bin', name);

/** Returns the names of the files in a package, sorted. */
async function listOf(tarball: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)('tar', ['-tzf', tarball]);
  return stdout.trim().split('\n').toSorted();
}

describe.each(all)('the package $name', ({ name, stem, file }) => {
  it('has no fault or warning for publint', async () => {
    const ran = await runProgram([program('publint'), 'run', file, '--strict'], { NO_COLOR: '1' });
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('All good!') });
  });

  it('is what npm itself packs, with the scripts of the workspace', async () => {
    const folder = join(state.folder, stem);
    mkdirSync(folder);
    const npm = ['npm', 'pack', '-w', name, '--ignore-scripts=false', '--pack-destination', folder];
    const { HOME = state.folder } = process.env;
    expect(await runProgram(npm, { HOME })).toMatchObject({ code: 0 });
    const packed = join(folder, file.slice(PACKAGES.length + 1));
    expect(await listOf(packed)).toEqual(await listOf(file));
    for (const [at, from] of [packed, file].entries()) {
      mkdirSync(join(folder, `${at}`));
      await promisify(execFile)('tar', ['-xzf', from, '-C', join(folder, `${at}`)]);
    }
    const compared = await runProgram(['diff', '-r', join(folder, '0'), join(folder, '1')], {});
    expect(compared).toMatchObject({ code: 0, stdout: '' });
  });

  it('cannot be packed by npm without its code', async () => {
    const { HOME = state.folder } = process.env;
    const ran = await runProgram(['npm', 'pack', '-w', name], { HOME });
    expect(ran.code).not.toBe(0);
    expect(ran.stderr).toContain('use-npm-run-packages');
  });
});

it.each(['gatepass-client', 'gatepass-react'])(
  'attw finds the types of %s wherever node16 and bundlers import it',
  async (stem) => {
    const { file = '' } = all.find((each) => each.stem === stem) ?? {};
    const ran = await runProgram([program('attw'), file, '--profile', 'esm-only', '--no-color', '--no-emoji'], {});
    // The table of a package with more entries is a list.
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringMatching(/\bbundler(?: +│|:) OK /) });
    expect(ran.stdout).toMatch(/node16 \(from ESM\)(?: │|:) OK \(ESM\)/);
  },
);

describe('a project in TypeScript', () => {
  beforeAll(async () => {
    await installClient(state.folder);
  });

  const PROGRAM = `import { createGatepass, type Pass, verifyWebhook } from '@gatepass/client';
import { verify } from '@gatepass/client/verify';
export const gatepass = createGatepass({ baseUrl: 'https://passes.example.org', token: async () => 'a token' });
export const pass: Promise<Pass | undefined> = gatepass.get({ chain: { type: 'solana', network: 'devnet' }, walletAddress: 'w' });
export const functions: unknown = [verify, verifyWebhook];
// @ts-expect-error The types are real: any would accept this.
createGatepass({ baseUrl: 1 });
`;
  const COMMON_JS = `import client = require('@gatepass/client');\nexport const { createGatepass } = client;\n`;

  it.each([
    ['node16', 'node16', 'a.mts', PROGRAM],
    ['nodenext', 'nodenext', 'b.mts', PROGRAM],
    ['esnext', 'bundler', 'c.ts', PROGRAM],
    ['preserve', 'bundler', 'd.ts', PROGRAM],
    // Node 20.19 and newer: `require` of an ES module.
    ['nodenext', 'nodenext', 'e.cts', COMMON_JS],
  ])('compiles with the module %s and the resolution %s', async (module, resolution, name, text) => {
    writeFileSync(join(state.folder, name), text);
    const options = [
      '--strict',
      '--noEmit',
      '--skipLibCheck',
      'false',
      '--target',
      'es2022',
      '--lib',
      'es2022,dom,dom.iterable',
    ];
    await compile(state.folder, [...options, '--module', module, '--moduleResolution', resolution, name]);
  });

  it('gets TS1479 for require with node16, as docs/partners/client.md says', async () => {
    const text = "import { createGatepass } from '@gatepass/client';\nexport const create = createGatepass;\n";
    writeFileSync(join(state.folder, 'f.cts'), text);
    const options = ['--strict', '--noEmit', '--module', 'node16'];
    await expect(compile(state.folder, [...options, 'f.cts'])).rejects.toThrow('TS1479');
    expect(readFileSync(join(PROJECT, 'docs/partners/client.md'), 'utf8')).toContain('TS1479');
  });
});
