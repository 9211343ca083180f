import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROJECT } from '../../../../terminal/wrangler.ts';
import { variablesAt } from '../../../unit/packages/cli/run-cli.ts';

/** Ctrl-C at any moment of a command. The server answers no request after the token, so each command waits. */

const folder = mkdtempSync(join(tmpdir(), 'gatepass-interrupt-'));
const waiting: (() => void)[] = [];
const server = createServer((request, response) => {
  request.resume();
  const isGranted = request.url === '/token';
  if (isGranted) response.writeHead(200, { 'content-type': 'application/json' });
  if (isGranted) response.end('{"access_token":"a","token_type":"bearer"}');
  else if (/after=newest/.test(request.url ?? '')) {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end('{"events":[],"next":0,"more":false}');
  } else waiting.shift()?.();
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => {
  server.close();
  server.closeAllConnections();
  rmSync(folder, { recursive: true });
});

/** Starts a command, sends SIGINT when the server has its request, and returns the end of the process. */
async function interrupt(args: readonly string[]) {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const asked = new Promise<void>((resolve) => waiting.push(resolve));
  const started = spawn(process.execPath, ['--', join(PROJECT, 'packages/cli/bin/gatepass.js'), ...args], {
    cwd: folder,
    env: { PATH, NODE_COMPILE_CACHE, ...variablesAt((server.address() as AddressInfo).port) },
  });
  let stderr = '';
  started.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  await asked;
  started.kill('SIGINT');
  const [code, signal] = await once(started, 'close');
  return { code, signal, stderr };
}

const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';

describe('Ctrl-C', () => {
  it.each([
    [['search']],
    [['search', '--csv', 'found.csv']],
    [['events', '--follow']],
    [['issue', WALLET, '--network', 'sepolia']],
    [['webhooks', 'list']],
    [['login']],
  ])('ends gatepass %s with the exit code 130', async (args) => {
    expect(await interrupt(args)).toEqual({ code: 130, signal: null, stderr: '' });
  });

  it('leaves no part of a CSV file', async () => {
    await interrupt(['search', '--csv', 'part.csv']);
    expect(readdirSync(folder)).not.toContain('part.csv');
  });

  it('ends a run with the exit code 130, and says how it continues', async () => {
    const csv = join(folder, 'wallets.csv');
    writeFileSync(csv, `walletAddress,network\n${WALLET},sepolia\n`);
    expect(await interrupt(['issue', '--csv', csv])).toEqual({
      code: 130,
      signal: null,
      stderr: 'stopped: run the same command again to continue\n',
    });
  });
});
