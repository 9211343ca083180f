import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { lockStateFolder } from '../../../../tools/localnet/state/state-lock.ts';

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatepass-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

it('refuses a folder that another process has locked, and takes over the lock of a dead process', async () => {
  const folder = temporaryFolder();
  const other = spawn(process.execPath, ['-e', 'setTimeout(() => undefined, 60_000)']);
  writeFileSync(join(folder, 'localnet.pid'), String(other.pid));
  await expect(lockStateFolder(folder)).rejects.toThrow(`process ${other.pid}`);
  other.kill('SIGKILL');
  await new Promise((resolve) => other.on('exit', resolve));
  await lockStateFolder(folder);
});

it('removes the lock when the caller unlocks the folder', async () => {
  const folder = temporaryFolder();
  const unlock = await lockStateFolder(folder);
  expect(readdirSync(folder)).toEqual(['localnet.pid']);
  unlock();
  expect(readdirSync(folder)).toEqual([]);
});
