import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { lockState } from '../../../localnet/state/state-lock.ts';

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatepass-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

it('is refused while another process has the folder, and not after it was killed', async () => {
  const folder = temporaryFolder();
  const other = spawn(process.execPath, ['-e', 'setTimeout(() => undefined, 60_000)']);
  writeFileSync(join(folder, 'localnet.pid'), String(other.pid));
  await expect(lockState(folder)).rejects.toThrow(`process ${other.pid}`);
  other.kill('SIGKILL');
  await new Promise((resolve) => other.on('exit', resolve));
  await lockState(folder);
});

it('is given back', async () => {
  const folder = temporaryFolder();
  const unlock = await lockState(folder);
  expect(readdirSync(folder)).toEqual(['localnet.pid']);
  unlock();
  expect(readdirSync(folder)).toEqual([]);
});
