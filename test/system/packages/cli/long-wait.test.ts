import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, inject, it } from 'vitest';
import { PROJECT } from '../../../../terminal/wrangler.ts';
import { freshWallet } from '../../../../tools/localnet/partner/fresh-wallet.ts';
import { startFaultProxy } from '../../fault-proxy.ts';
import { settingsOf } from './gatepass-command.ts';

/** A service that wants a CSV run to wait for an hour. */

const folder = mkdtempSync(join(tmpdir(), 'gatepass-wait-'));
afterAll(() => rmSync(folder, { recursive: true }));

it.each([429, 503])('a CSV run says that it waits after a %i, and Ctrl-C still ends it', async (status) => {
  const facts = inject('gatepass');
  const proxy = await startFaultProxy(facts.baseUrl, async (request, { forward }) =>
    request.path.startsWith('/passes') ? { status, headers: { 'retry-after': '3600' }, body: '{}' } : forward(request),
  );
  const csv = join(folder, `${status}.csv`);
  writeFileSync(csv, `walletAddress,network\n${freshWallet('sepolia')},sepolia\n`);
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, ...settingsOf(facts), GATEPASS_URL: proxy.url };
  const started = spawn(
    process.execPath,
    ['--', join(PROJECT, 'packages/cli/bin/gatepass.js'), 'issue', '--csv', csv],
    { env },
  );
  let stderr = '';
  started.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
    if (/waits .*\n/.test(stderr)) started.kill('SIGINT');
  });
  const [code] = await once(started, 'close');
  await proxy.stop();
  expect(code, stderr).toBe(130);
  expect(stderr).toMatch(
    new RegExp(`^waits 360[01] s: the service answered ${status}\nstopped: run the same command again to continue\n$`),
  );
});
