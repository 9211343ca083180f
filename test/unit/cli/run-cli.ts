import { PassThrough } from 'node:stream';
import { runCommand } from '../../../cli/src/run-command.ts';

/** Runs the command in this process against a service and an authorization server at this port. Returns what it prints. */
export async function runCli(args: readonly string[], port: number) {
  const base = `http://127.0.0.1:${port}`;
  const env = {
    GATEPASS_URL: base,
    GATEPASS_TOKEN_URL: `${base}/token`,
    GATEPASS_CLIENT_ID: 'acme',
    GATEPASS_CLIENT_SECRET: 'secret',
  };
  const printed = { stdout: '', stderr: '' };
  const collect = (name: keyof typeof printed) => {
    const stream = new PassThrough();
    stream.on('data', (chunk) => {
      printed[name] += chunk;
    });
    return stream as unknown as NodeJS.WriteStream;
  };
  const streams = { stdin: process.stdin, stdout: collect('stdout'), stderr: collect('stderr') };
  const code = await runCommand(args, { ...streams, env: env as unknown as NodeJS.ProcessEnv });
  await new Promise(setImmediate);
  return { code, ...printed };
}
