import { spawn } from 'node:child_process';
import { PROJECT } from '../../terminal/wrangler.ts';

/** The exit code and the output of a finished program. */
export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a program in the project's folder, with only PATH, the cache of compiled modules and `env` in its environment. Throws if the
 * machine does not have the program, so that the test of an example fails instead of being skipped.
 */
export async function runProgram(command: readonly string[], env: Readonly<Record<string, string>>): Promise<Ran> {
  const [program = '', ...args] = command;
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const started = spawn(program, args, { cwd: PROJECT, env: { PATH, NODE_COMPILE_CACHE, ...env } });
  started.stdin.end();
  const printed = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    started[stream].setEncoding('utf8').on('data', (text: string) => {
      printed[stream] += text;
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    started.once('error', ({ message }) =>
      reject(new Error(`cannot run ${program}, which the tests need: ${message}`)),
    );
    started.once('close', resolve);
  });
  return { code, ...printed };
}
