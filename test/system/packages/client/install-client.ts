import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { PROJECT } from '../../../../terminal/wrangler.ts';
import { unpackPackage } from '../../../../tools/packages/unpack.ts';

/** The compiler that builds the client. Partners probably use the same one. */
const COMPILER = join(PROJECT, 'packages/client/node_modules/typescript/bin/tsc');
/** The dependencies of the client. */
const DEPENDENCIES = ['openapi-fetch', 'openapi-typescript-helpers'];

/** Links packages of the project into the `node_modules` of a folder. */
export function linkPackages(folder: string, names: readonly string[]): void {
  for (const name of names) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    if (!existsSync(link)) symlinkSync(join(PROJECT, 'node_modules', name), link, 'dir');
  }
}

/** Unpacks the package of the client into the `node_modules` of a folder, with its dependencies. Resolves to the folder of the package. */
export async function installClient(folder: string): Promise<string> {
  const installed = join(folder, 'node_modules/@gatepass/client');
  linkPackages(folder, DEPENDENCIES);
  unpackPackage('@gatepass/client', installed);
  return installed;
}

/** Runs the compiler in a folder, with the types of that folder. Throws the compiler's errors. */
export async function compile(cwd: string, args: readonly string[]): Promise<void> {
  await promisify(execFile)(process.execPath, [COMPILER, ...args], { cwd }).catch(({ stdout }) => {
    throw new Error(stdout);
  });
}
