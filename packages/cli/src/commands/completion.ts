import { Argument, type Command } from 'commander';
import { completionFor, SHELLS, type Shell } from '../completion.ts';
import { NETWORK_NAMES } from '../networks.ts';
import type { Session } from '../session.ts';

/** Adds the command that prints the script of a shell. */
export function addCompletion(program: Command, { stdout }: Session): void {
  program
    .command('completion')
    .summary('print the script with which your shell completes this command')
    .description('Prints the script with which your shell completes the commands, the options and their values.')
    .addArgument(new Argument('<shell>', 'your shell').choices(SHELLS))
    .addHelpText('after', HELP)
    .action((shell: Shell) => {
      stdout.print(...completionFor(shell, program, NETWORK_NAMES).trimEnd().split('\n'));
    });
}

const HELP = `
Once, for each new shell:
  gatepass completion bash >> ~/.bashrc
  gatepass completion zsh >> ~/.zshrc
  gatepass completion fish > ~/.config/fish/completions/gatepass.fish`;
