import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Gatepass } from '../../../localnet/gatepass.ts';
import { PROJECT } from '../../../scripts/wrangler.ts';
import { type Ran, runProgram } from '../run-program.ts';

/** Runs the command as a partner would. */

const COMMAND = [process.execPath, '--', join(PROJECT, 'cli/bin/gatepass.js')] as const;

export const settingsOf = ({ baseUrl, tokenUrl }: Gatepass['facts'], client = 'globex') => ({
  GATEPASS_URL: String(baseUrl),
  GATEPASS_TOKEN_URL: tokenUrl,
  GATEPASS_CLIENT_ID: client,
  GATEPASS_CLIENT_SECRET: `${client}-secret`,
});

export type Settings = ReturnType<typeof settingsOf>;

export const gatepass = (args: readonly string[], settings: Partial<Settings>): Promise<Ran> =>
  runProgram([...COMMAND, ...args], settings as Readonly<Record<string, string>>);

/** Runs the command and kills it after that time. Returns its exit code; null if it was killed. */
export async function killAfter(ms: number, args: readonly string[], settings: Settings): Promise<number | null> {
  const [program, ...script] = COMMAND;
  const started = spawn(program, [...script, ...args], {
    env: { PATH: process.env.PATH, ...settings },
    stdio: 'ignore',
  });
  const timer = setTimeout(() => started.kill('SIGKILL'), ms);
  const code = await new Promise<number | null>((resolve) => started.once('close', resolve));
  clearTimeout(timer);
  return code;
}
