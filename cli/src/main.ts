import { runCommand } from './run-command.ts';

// A reader such as `head` closes the pipe when it has enough.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => process.exit(code === 'EPIPE' ? 0 : 2));

process.exitCode = await runCommand(process.argv.slice(2), process);
