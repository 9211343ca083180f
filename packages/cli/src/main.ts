import { describeFault } from './failure.ts';
import { outputTo } from './output.ts';
import { runCommand } from './run-command.ts';
import { EXIT } from './session.ts';

// A reader such as `head` closes the pipe when it has enough.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => process.exit(code === 'EPIPE' ? 0 : 2));

// An error beside the command, for example of a stream, must not print a stack with texts of others.
process.on('uncaughtException', (fault) => {
  outputTo(process.stderr).print(describeFault(fault));
  process.exit(EXIT.notRun);
});
process.on('SIGINT', () => process.exit(EXIT.interrupted));

process.exitCode = await runCommand(process.argv.slice(2), process);
