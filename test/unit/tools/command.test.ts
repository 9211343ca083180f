import { expect, it } from 'vitest';
import { npmCommand, repeated, runNpmCommand } from '../../../terminal/command.ts';
import { Failure } from '../../../terminal/failure.ts';
import { runCommand } from '../../system/ops/run-command.ts';

/** The command line of every npm script that has options. */

function run(args: readonly string[], action: () => void = () => undefined) {
  const program = npmCommand('example', 'An example.');
  program
    .command('do')
    .option('--name <name>', 'a name')
    .option('--some <name>', 'names', repeated(String))
    .action(action);
  return runCommand((given) => runNpmCommand(program, given), args);
}

it('prints its help and ends with 0', async () => {
  const { code, lines } = await run(['do', '--help']);
  expect([code, lines[0]]).toEqual([0, 'Usage: npm run example -- do [options]']);
});

it('prints its help and ends with 2 without a verb', async () => {
  const { code, lines } = await run([]);
  expect([code, lines[0]]).toEqual([2, 'Usage: npm run example -- [options] [command]']);
});

it.each([
  [['do', '--nope'], "unknown option '--nope'"],
  [['undo'], "unknown command 'undo'"],
  [['do', '--name'], "option '--name <name>' argument missing"],
])('names the fault of %j and its help, and ends with 2', async (args, complaint) => {
  const { code, lines } = await run(args);
  expect([code, lines[0], lines.at(-1)]).toEqual([2, complaint, 'Usage: npm run example -- --help']);
});

it.each([
  [['do', '--name', '--some'], '--name needs a value'],
  [['do', '--some', 'a', '--some', '--name=b'], '--some needs a value'],
])('takes no option as the value of another one: %j', async (args, complaint) => {
  expect(await run(args)).toMatchObject({ code: 2, lines: [complaint] });
});

const KEY = `0x${'7f'.repeat(32)}`;
it.each([[KEY], [KEY.slice(2)], [`--name=${KEY}`], ['[127,127]']])(
  'prints no part of the private key %s',
  async (key) => {
    const { code, lines } = await run(['do', key]);
    expect([code, lines]).toEqual([2, ['a private key must be in a file, not on the command line']]);
  },
);

it('ends with the exit code of a failure, and with 1 for any other error', async () => {
  const thrown = (error: Error) => () => {
    throw error;
  };
  expect(await run(['do'], thrown(new Failure('no', 2)))).toMatchObject({ code: 2, lines: ['no'] });
  expect(await run(['do'], thrown(new Failure('no')))).toMatchObject({ code: 1, lines: ['no'] });
  expect(await run(['do'], thrown(new TypeError('broken')))).toMatchObject({ code: 1 });
  expect(await run(['do'])).toMatchObject({ code: 0, lines: [] });
});
