import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { PROJECT } from '../../../../terminal/wrangler.ts';
import type { Gatepass } from '../../../../tools/localnet/gatepass.ts';
import { runCli } from '../../../unit/packages/cli/run-cli.ts';
import { type Ran, runProgram } from '../../run-program.ts';

/** The command of the partners, in a process of its own and in this one. */

const COMMAND = [process.execPath, '--', join(PROJECT, 'packages/cli/bin/gatepass.js')] as const;

export const settingsOf = ({ baseUrl, tokenUrl }: Gatepass['facts'], client = 'acme') => ({
  GATEPASS_URL: String(baseUrl),
  GATEPASS_TOKEN_URL: tokenUrl,
  GATEPASS_CLIENT_ID: client,
  GATEPASS_CLIENT_SECRET: `${client}-secret`,
});

export type Settings = ReturnType<typeof settingsOf>;

/** Runs the command as a partner would. */
export const spawnGatepass = (args: readonly string[], settings: Partial<Settings>): Promise<Ran> =>
  runProgram([...COMMAND, ...args], settings as Readonly<Record<string, string>>);

/** Runs the command in this process, which saves the start of a process. Each verb has a test that starts one. */
export const gatepass = (args: readonly string[], settings: Partial<Settings>): Promise<Ran> =>
  runCli(args, settings as Readonly<Record<string, string>>);

/** Runs the command and kills it after that time. Returns its exit code; null if it was killed. */
export async function killAfter(ms: number, args: readonly string[], settings: Settings): Promise<number | null> {
  const [program, ...script] = COMMAND;
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const started = spawn(program, [...script, ...args], {
    env: { PATH, NODE_COMPILE_CACHE, ...settings },
    stdio: 'ignore',
  });
  const timer = setTimeout(() => started.kill('SIGKILL'), ms);
  const code = await new Promise<number | null>((resolve) => started.once('close', resolve));
  clearTimeout(timer);
  return code;
}
