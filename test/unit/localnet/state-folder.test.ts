import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openState } from '../../../localnet/state/state-folder.ts';

it('is a temporary one unless it is named, and then it stays', () => {
  const temporary = openState();
  expect(existsSync(temporary.folder)).toBe(true);
  temporary.close();
  expect(existsSync(temporary.folder)).toBe(false);

  const parent = mkdtempSync(join(tmpdir(), 'gatepass-'));
  const named = openState(join(parent, 'deep', 'er'));
  named.close();
  expect([existsSync(named.folder), named.kept]).toEqual([true, named.folder]);
  rmSync(parent, { recursive: true });
});

it('is refused where the name is empty or a file', () => {
  const parent = mkdtempSync(join(tmpdir(), 'gatepass-'));
  const file = join(parent, 'file');
  writeFileSync(file, '');
  expect(() => openState('')).toThrow('--state must name a folder');
  expect(() => openState(file)).toThrow('EEXIST');
  rmSync(parent, { recursive: true });
});
