import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileOf, PACKAGES, packages } from './pack.ts';

/** Unpacks one of our packages into a folder, which then has the files that npm would install there, and no others. */
export function unpackPackage(name: string, folder: string): void {
  const found = packages().find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no package ${name}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  execFileSync('tar', ['-xzf', join(PACKAGES, fileOf(found)), '-C', folder, '--strip-components', '1']);
}
