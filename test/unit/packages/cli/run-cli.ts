import { PassThrough } from 'node:stream';
import { runCommand } from '../../../../packages/cli/src/run-command.ts';

/** Returns the variables for a service and an authorization server at this port. */
export function variablesAt(port: number) {
  const base = `http://127.0.0.1:${port}`;
  return {
    GATEPASS_URL: base,
    GATEPASS_TOKEN_URL: `${base}/token`,
    GATEPASS_CLIENT_ID: 'acme',
    GATEPASS_CLIENT_SECRET: 'secret',
  };
}

/** Runs the command in this process, with these variables and without a terminal. Returns its exit code and what it prints. */
export async function runCli(args: readonly string[], variables: Readonly<Record<string, string>>) {
  const printed = { stdout: '', stderr: '' };
  const collect = (name: keyof typeof printed) => {
    const stream = new PassThrough();
    stream.on('data', (chunk) => {
      printed[name] += chunk;
    });
    return stream as unknown as NodeJS.WriteStream;
  };
  const stdin = new PassThrough() as unknown as NodeJS.Process['stdin'];
  const streams = { stdin, stdout: collect('stdout'), stderr: collect('stderr') };
  const code = await runCommand(args, { ...streams, env: variables as unknown as NodeJS.ProcessEnv });
  await new Promise(setImmediate);
  return { code, ...printed };
}
