import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { GATEKEEPER_NETWORKS } from '../../../localnet/oauth/partners.ts';
import { parseDoctorOptions } from '../../../ops/doctor/options.ts';
import { parsePartnerCommand } from '../../../ops/partner/options.ts';
import { stopChildren } from '../../../scripts/child-process.ts';
import { PROJECT, runWrangler } from '../../../scripts/wrangler.ts';
import { manifest } from '../../unit/package-files.ts';

/** The commands that the README shows to operators. */

afterAll(stopChildren);

const readme = readFileSync(join(PROJECT, 'README.md'), 'utf8');
const [page = ''] = /^## Deployment\n[\s\S]*?(?=^## )/m.exec(readme) ?? [];

const commands = (text: string, pattern: RegExp) => [
  ...new Set([...text.matchAll(pattern)].map(([, it = '']) => it.trim())),
];
const ofWrangler = (text: string) => commands(text, /\bnpx wrangler ([^\n`#|&;]+)/g);
const ofNpm = (text: string) => commands(text, /\bnpm run ([^\n`#|&;]+)/g);

/** Compares a command with wrangler's help; resolves to what is wrong, or to undefined. */
async function complaint(command: string): Promise<string | undefined> {
  const tokens = command.split(' ');
  const help = await runWrangler([...tokens.filter((token) => /^[a-z\d-]+$/i.test(token)), '--help']);
  const flags = new Map([...help.matchAll(/^ +(?:-\w, )?(--[\w-]+) .*$/gm)].map(([line, flag]) => [flag, line]));
  const unknown = tokens.find((token) => token.startsWith('--') && !flags.has(token));
  if (unknown !== undefined) return `it does not take ${unknown}`;
  const takesValue = (flag = '') => flag.startsWith('--') && !flags.get(flag)?.includes('[boolean]');
  const words = tokens.filter((token, at) => !token.startsWith('--') && !takesValue(tokens[at - 1]));
  const usage = /^wrangler .*$/m.exec(help)?.[0].split(' ').slice(1) ?? [];
  const named = usage.filter((word) => /^\w/.test(word));
  if (words.slice(0, named.length).join() !== named.join()) return `it is \`${usage.join(' ')}\``;
  return words.length <= usage.length ? undefined : `there is no \`${words.join(' ')}\``;
}

it('the README shows only commands and options that wrangler has', async () => {
  // Wrangler starts slowly, so commands that differ only in a name are checked once.
  const named = [...new Set(ofWrangler(page).map((command) => command.replace(/gatepass-\S+/, 'NAME')))];
  expect(named.length).toBeGreaterThan(5);
  const complaints = await Promise.all(named.map(async (command) => [command, await complaint(command)]));
  expect(complaints.filter(([, why]) => why !== undefined)).toEqual([]);
  expect(await complaint('d1 creation gatepass')).toContain('there is no');
  expect(await complaint('secret bulk file --environment production')).toBe('it does not take --environment');
}, 120_000);

it('the README names only npm scripts that package.json has', () => {
  const scripts = ofNpm(readme).map((command) => command.split(' ')[0] ?? '');
  expect(scripts).toContain('doctor');
  expect(scripts.filter((name) => !Object.hasOwn(manifest().scripts, name))).toEqual([]);
});

/** Replaces the placeholders of the page by values. */
const filledIn = (args: string) =>
  args.split(' ').map((token) => ({ KEY: GATEKEEPER_NETWORKS[0] ?? '', ID: 'acme', NAME: 'Acme' })[token] ?? token);

it('the README gives `doctor` and `partner` only options that they take', () => {
  const whole = ofNpm(page).filter((command) => !/[…[]/.test(command));
  const argumentsOf = (name: string) =>
    whole.filter((command) => command.startsWith(`${name} -- `)).map((it) => filledIn(it.slice(`${name} -- `.length)));
  expect([argumentsOf('doctor').length, argumentsOf('partner').length]).toEqual([3, 1]);
  for (const args of argumentsOf('doctor')) expect(() => parseDoctorOptions(args)).not.toThrow();
  for (const args of argumentsOf('partner')) expect(() => parsePartnerCommand(args)).not.toThrow();
  expect(argumentsOf('deploy')).toEqual([['--env', 'production']]);
});
