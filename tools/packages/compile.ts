import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { Failure } from '../../terminal/failure.ts';

const PROJECT = join(import.meta.dirname, '../..');
const PACKAGES = join(PROJECT, 'packages');

export const WORKSPACES = ['client', 'cli', 'contracts', 'react'] as const;
export type Workspace = (typeof WORKSPACES)[number];

/** Returns the folder of a workspace. */
export const folderOf = (workspace: Workspace) => join(PACKAGES, workspace);

/** The others have no TypeScript: `npm run contracts` compiles Solidity, and its files are in the repository. */
export type CompiledWorkspace = Exclude<Workspace, 'contracts'>;
export const isCompiled = (workspace: Workspace): workspace is CompiledWorkspace => workspace !== 'contracts';

/** The compiler of all workspaces. */
export const COMPILER = join(PROJECT, 'node_modules/typescript');

/**
 * Compiles a workspace into a folder. It checks no types: `npm run check` does, and half-written code must not stop `npm run dev` or a
 * test of something else.
 */
export function compileWorkspace(workspace: CompiledWorkspace, outDir: string): void {
  const args = ['-p', folderOf(workspace), '--noCheck', '--outDir', outDir];
  try {
    execFileSync(process.execPath, [join(COMPILER, 'bin/tsc'), ...args], {
      encoding: 'utf8',
      stdio: 'pipe',
    });
  } catch (fault) {
    const { stdout = '', stderr = '' } = fault as { stdout?: string; stderr?: string };
    throw new Failure(`cannot compile packages/${workspace}/: ${stdout}${stderr}`);
  }
}
