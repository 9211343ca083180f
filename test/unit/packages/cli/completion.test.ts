import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { completionFor, SHELLS } from '../../../../packages/cli/src/completion.ts';
import { runCli } from './run-cli.ts';

const script = async (shell: string) => (await runCli(['completion', shell], {})).stdout;

/** Returns the words that bash offers for the last one. */
function offers(source: string, words: readonly string[]): string[] {
  const list = words.map((word) => `'${word}'`).join(' ');
  const asks = `COMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _gatepass_completion; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const printed = execFileSync('bash', ['--norc', '-c', `${source}\n${asks}`], { encoding: 'utf8' });
  return printed.split('\n').filter((word) => word !== '');
}

describe('the completion of bash', () => {
  it.each<[string[], string[]]>([
    [
      ['gatepass', 'se'],
      ['set-expiry', 'set-reference', 'set-subject', 'search'],
    ],
    [['gatepass', 'search', '--st'], ['--state']],
    [['gatepass', 'search', '--state', 'F'], ['FROZEN']],
    [['gatepass', 'webhooks', 'd'], ['deliveries']],
    [
      ['gatepass', 'webhooks', 'deliveries', '--status', ''],
      ['delivered', 'failed', 'given_up'],
    ],
    [['gatepass', 'issue', '--network', 'dev'], ['devnet']],
    [
      ['gatepass', '--profile', 'acme', 'webhooks', 'r'],
      ['rotate-secret', 'replay', 'remove'],
    ],
    // Without a word, bash completes the name of a file.
    [['gatepass', 'issue', '--csv', 'w'], []],
    [['gatepass', 'completion', 'z'], ['zsh']],
  ])('for %j offers %j', async (words, expected) => {
    expect(offers(await script('bash'), words)).toEqual(expected);
  });
});

describe('the completion of each shell', () => {
  it.each(SHELLS)('of %s has every command and option of the help', async (shell) => {
    const source = await script(shell);
    const help = (await runCli(['--help'], {})).stdout;
    const list = help.split('\nCommands:\n')[1]?.split('\n\n')[0] ?? '';
    const commands = [...list.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name = '']) => name);
    expect(commands.length).toBeGreaterThan(14);
    for (const name of commands.filter((each) => each !== 'help')) {
      expect(source).toContain(name);
      const options = (await runCli([name, '--help'], {})).stdout.match(/^ {2}(?:-\w, )?--[a-z-]+/gm) ?? [];
      expect(options.length).toBeGreaterThan(0);
      for (const option of options) {
        const flag = option.replace(/^.*--/, '');
        expect(source).toContain(shell === 'fish' ? ` -l ${flag} ` : `--${flag}`);
      }
    }
  });

  it('of zsh loads the script of bash', async () => {
    expect(await script('zsh')).toMatch(/^#compdef gatepass\n.*bashcompinit\n# bash completion/s);
  });

  it('of an unknown shell is refused', async () => {
    expect(await runCli(['completion', 'tcsh'], {})).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Allowed choices are bash, zsh, fish.'),
    });
  });

  it('quotes every text', async () => {
    const { Command } = await import('commander');
    const program = new Command('gatepass').description('a');
    program.command('it').description("the partner's $(touch x)").option('--of <it>', "it's `date`");
    const source = completionFor('fish', program, []);
    expect(source).toContain(`-a 'it' -d 'the partner'\\''s $(touch x)'`);
    expect(source).toContain(`-l of -x -d 'it'\\''s \`date\`'`);
  });
});
