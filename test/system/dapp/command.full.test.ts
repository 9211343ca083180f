import { join } from 'node:path';
import { afterAll, expect, inject, it } from 'vitest';
import { startChild } from '../../../terminal/child-process.ts';
import { PROJECT } from '../../../terminal/wrangler.ts';
import { writeLocalnetFile } from '../../../tools/localnet/state/localnet-file.ts';
import { openStateFolder } from '../../../tools/localnet/state/state-folder.ts';
import { eventually } from '../../eventually.ts';
import { runProgram } from '../run-program.ts';

/** `npm run dapp` beside a running localnet, which the file of `npm run dev` describes. */

const state = openStateFolder();
const file = join(state.folder, 'localnet.json');
afterAll(() => state.close());

it('builds the page and serves it until a signal stops it', async () => {
  await writeLocalnetFile(inject('gatepass'), file);
  const lines: string[] = [];
  const args = ['run', '--silent', 'dapp', '--', '--port', '0', '--localnet', file];
  const child = await startChild('npm', args, { cwd: PROJECT, onLine: (line) => lines.push(line) });
  const url = await eventually(() => {
    const [, found] = /^The dApp runs at (\S+)\. Press Ctrl-C/.exec(lines.at(-1) ?? '') ?? [];
    expect(found, lines.join('\n')).toBeDefined();
    return String(found);
  });
  expect(await (await fetch(url)).text()).toContain('<div id="root">');
  expect(await (await fetch(`${url}/settings.json`)).json()).toMatchObject({ testWallets: true, slot: '1' });
  await child.stop();
  await expect(fetch(url)).rejects.toThrow('fetch failed');
});

it.each([
  ['no localnet runs', [], 1, 'describes no running localnet'],
  ['the port is no number', ['--port', 'eighty'], 2, '--port must be a number'],
])('says what is wrong if %s', async (_, more, code, told) => {
  const command = [process.execPath, 'tools/localnet/commands/dapp.ts', '--localnet', join(state.folder, 'none.json')];
  const ran = await runProgram([...command, ...more], {});
  expect([ran.code, ran.stderr]).toEqual([code, expect.stringContaining(told)]);
});

it('needs chains, which a localnet with the sandbox alone does not have', async () => {
  const other = join(state.folder, 'sandbox.json');
  await writeLocalnetFile({ ...inject('gatepass'), rpc: {} }, other);
  const ran = await runProgram([process.execPath, 'tools/localnet/commands/dapp.ts', '--localnet', other], {});
  expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining('without --sandbox')]);
});
