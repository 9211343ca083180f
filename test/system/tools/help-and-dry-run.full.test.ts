import { expect, it } from 'vitest';
import { manifest } from '../../unit/package-files.ts';
import { runProgram } from '../run-program.ts';

/** The scripts that act on a deployment or a localnet, or take options. Every other script has no options of its own. */
const COMMANDS = Object.entries(manifest().scripts).flatMap(([name, script]) => {
  const [, file] =
    /^exec node ((?:ops|tools\/(?:localnet|bench)|test\/(?:system|packages))\/\S+|tools\/release\.ts)$/.exec(script) ??
    [];
  return file === undefined ? [] : [{ name, file }];
});

/** Commands and verbs that change nothing but a new file or a localnet of their own. Every other one has `--dry-run`. */
const READING = [
  ...['dev', 'localnet', 'demo', 'dapp', 'bench', 'test:faults', 'test:packages', 'doctor', 'facts', 'key'],
  ...['audit verify', 'audit export', 'partner list', 'partner export', 'emergency list', 'shard status'],
  ...['network show', 'network trust', 'takeover scan'],
  // Wrangler's own commands have their own options.
  'wrangler',
];

/** Runs the command in a process of its own, because some commands start with the import of their file. */
async function helpOf(file: string, ...verb: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runProgram([process.execPath, file, ...verb, '--help'], {});
  expect([code, stderr], `${file} ${verb}`).toEqual([0, '']);
  expect(stdout).toMatch(/^Usage: npm run /);
  return stdout;
}

/** Returns the verbs that the help lists. */
const verbsIn = (help: string) =>
  [...(help.split(/^Commands:$/m)[1] ?? '').matchAll(/^ {2}([a-z][\w-]*)/gm)].map(([, verb = '']) => verb);

it('knows every command that acts on a deployment or on a localnet', () => {
  const names = COMMANDS.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining(['dev', 'bench', 'test:faults', 'test:packages', 'deploy', 'partner', 'release']),
  );
  const scripts = Object.entries(manifest().scripts);
  expect(scripts.filter(([name, script]) => /\b(ops|localnet)\//.test(script) && !names.includes(name))).toEqual([]);
  const lost = READING.filter((each) => !names.includes(each.split(' ')[0] ?? ''));
  expect(lost).toEqual([]);
});

it.each(COMMANDS)(
  'npm run $name has --help, and --dry-run on every verb that changes something',
  async ({ name, file }) => {
    const help = await helpOf(file);
    const verbs = verbsIn(help);
    const ofVerbs = await Promise.all(
      verbs.map(async (verb) => [`${name} ${verb}`, await helpOf(file, verb)] as const),
    );
    const changing = (verbs.length === 0 ? [[name, help] as const] : ofVerbs).filter(
      ([each]) => !READING.includes(each),
    );
    expect(changing.filter(([, text]) => !text.includes(' --dry-run ')).map(([each]) => each)).toEqual([]);
    const known = [name, ...ofVerbs.map(([each]) => each)];
    expect(READING.filter((each) => each.split(' ')[0] === name && !known.includes(each))).toEqual([]);
  },
);
