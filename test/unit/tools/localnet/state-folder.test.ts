import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openStateFolder } from '../../../../tools/localnet/state/state-folder.ts';

it('removes a temporary state folder when it is closed, and keeps a named one', () => {
  const temporary = openStateFolder();
  expect(existsSync(temporary.folder)).toBe(true);
  temporary.close();
  expect(existsSync(temporary.folder)).toBe(false);

  const parent = mkdtempSync(join(tmpdir(), 'gatepass-'));
  const named = openStateFolder(join(parent, 'deep', 'er'));
  named.close();
  expect([existsSync(named.folder), named.kept]).toEqual([true, named.folder]);
  rmSync(parent, { recursive: true });
});

it('refuses an empty name and the name of a file', () => {
  const parent = mkdtempSync(join(tmpdir(), 'gatepass-'));
  const file = join(parent, 'file');
  writeFileSync(file, '');
  expect(() => openStateFolder('')).toThrow('--state must name a folder');
  expect(() => openStateFolder(file)).toThrow('EEXIST');
  rmSync(parent, { recursive: true });
});
