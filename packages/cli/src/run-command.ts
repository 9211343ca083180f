import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Command, CommanderError } from 'commander';
import { addAudit } from './commands/audit.ts';
import { addPassCommands } from './commands/change-passes.ts';
import { addCompletion } from './commands/completion.ts';
import { addEvents } from './commands/events.ts';
import { addGet } from './commands/get.ts';
import { addListen } from './commands/listen.ts';
import { addLogin } from './commands/login.ts';
import { addLogout, addProfiles } from './commands/profiles.ts';
import { addClock, addTrigger } from './commands/sandbox.ts';
import { addSearch } from './commands/search.ts';
import { addUsage } from './commands/usage.ts';
import { addWebhooks } from './commands/webhooks.ts';
import { describeFault } from './failure.ts';
import { outputTo } from './output.ts';
import { EXIT, type ExitCode, type Session } from './session.ts';
import { connect, readVariables, type SettingsSource, settingsIn } from './settings.ts';
import { warnOfEnd } from './warn-of-end.ts';

interface Surroundings extends Pick<NodeJS.Process, 'stdin' | 'env'> {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

/** Runs one command and returns its exit code. It prints a fault as one line, without a stack trace. */
export async function runCommand(args: readonly string[], { stdin, env, ...streams }: Surroundings): Promise<ExitCode> {
  const program = new Command('gatepass');
  let exitCode: ExitCode = EXIT.done;
  const [stdout, stderr] = [outputTo(streams.stdout), outputTo(streams.stderr)];
  const source = () => program.opts<SettingsSource>();
  const variables = () => readVariables(source(), env);
  const settings = () => settingsIn(variables());
  const session: Session = {
    ...{ stdin, stdout, stderr, env, source, variables, settings },
    connect: (retries, on) => connect(settings(), retries, warnOfEnd(stderr, on)),
  };
  const finish = (code: ExitCode) => {
    exitCode = code;
  };
  program
    .description('Issues, finds and manages passes.')
    .version(versionOf(), '--version', 'prints the version')
    .option('--env-file <file>', 'reads the variables GATEPASS_… from this file')
    .option('--profile <name>', 'reads them from this profile, see gatepass login --help')
    .addHelpText('after', VARIABLES)
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({
      // The texts of the help have several lines.
      writeOut: (text) => stdout.print(...text.trimEnd().split('\n')),
      writeErr: (text) => stderr.print(...text.trimEnd().split('\n')),
      outputError: (text) => stderr.print(text.replace(/^error: /, '').trim()),
    });
  addPassCommands(program, session, finish);
  addGet(program, session, finish);
  addSearch(program, session);
  addEvents(program, session);
  addListen(program, session);
  addTrigger(program, session);
  addClock(program, session);
  addAudit(program, session);
  addUsage(program, session);
  addWebhooks(program, session, finish);
  addLogin(program, session);
  addLogout(program, session);
  addProfiles(program, session);
  addCompletion(program, session);
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (fault) {
    // Commander has printed its own error.
    if (fault instanceof CommanderError) return fault.exitCode === 0 ? EXIT.done : EXIT.notRun;
    stderr.print(describeFault(fault));
    return EXIT.notRun;
  }
}

const VARIABLES = `
Variables, from the environment, --env-file or --profile:
  GATEPASS_URL            the URL of the service
  GATEPASS_TOKEN_URL      the token endpoint
  GATEPASS_CLIENT_ID      your OAuth client
  GATEPASS_CLIENT_SECRET  its secret
  GATEPASS_AUDIENCE, GATEPASS_SCOPE
                          sent to the token endpoint, if it needs them
  GATEPASS_WEBHOOK_SECRET the secret with which listen signs
  GATEPASS_PROFILE        the profile, as --profile; only in the environment

Exit codes: 0 done, 1 some passes failed, 2 the command could not run, 130 Ctrl-C ended it.`;

/** The sources and the compiled files are in folders beside the manifest. */
const versionOf = (): string =>
  JSON.parse(readFileSync(fileURLToPath(new URL('../package.json', import.meta.url).href), 'utf8')).version;
