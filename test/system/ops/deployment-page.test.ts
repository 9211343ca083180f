import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { GATEKEEPER_NETWORKS } from '../../../localnet/oauth/partners.ts';
import { doctorCommand } from '../../../ops/doctor.ts';
import { networkCommand } from '../../../ops/network/commands.ts';
import { partnerCommand } from '../../../ops/partner/commands.ts';
import { rebuildCommand } from '../../../ops/rebuild.ts';
import { takeoverCommand } from '../../../ops/takeover.ts';
import { stopChildren } from '../../../scripts/child-process.ts';
import { PROJECT, runWrangler } from '../../../scripts/wrangler.ts';
import { parseCommand } from '../../parse-command.ts';
import { manifest } from '../../unit/package-files.ts';

/** The commands in the operators' documents exist, and take the options that the documents show. */

afterAll(stopChildren);

const FOLDER = join(PROJECT, 'docs/operators');
const textOf = (name: string) => readFileSync(join(FOLDER, name), 'utf8');
const text = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.md'))
  .map(textOf)
  .join('\n');

const commands = (source: string, pattern: RegExp) => [
  ...new Set([...source.matchAll(pattern)].map(([, it = '']) => it.trim())),
];
const ofWrangler = (source: string) => commands(source, /\bnpx wrangler ([^\n`#|&;>]+)/g);
const ofNpm = (source: string) => commands(source, /\bnpm run ([^\n`#|&;>]+)/g);

/** Compares a command with wrangler's help; resolves to the difference, or to undefined. */
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

it('the operators’ documents show only commands and options that wrangler has', async () => {
  // Wrangler starts slowly, so commands that differ only in a name are checked once.
  const general = (command: string) =>
    command
      .replace(/gatepass-\S+/, 'NAME')
      .replace(/\S+\.secrets|\bFILE\b/, 'file')
      .replace(/--env \S+/, '--env production');
  const named = [...new Set(ofWrangler(text).map(general))];
  expect(named.length).toBeGreaterThan(9);
  const complaints = await Promise.all(named.map(async (command) => [command, await complaint(command)]));
  expect(complaints.filter(([, why]) => why !== undefined)).toEqual([]);
  expect(await complaint('d1 creation gatepass')).toContain('there is no');
  expect(await complaint('secret bulk file --environment production')).toBe('it does not take --environment');
});

it('the operators’ documents name only npm scripts that package.json has', () => {
  const scripts = ofNpm(text).map((command) => command.split(' ')[0] ?? '');
  expect(scripts).toContain('doctor');
  expect(scripts.filter((name) => !Object.hasOwn(manifest().scripts, name))).toEqual([]);
});

const PLACEHOLDERS: Readonly<Record<string, string>> = {
  KEY: GATEKEEPER_NETWORKS[0] ?? '',
  ID: 'acme',
  CLIENT_ID: 'acme',
  NAME: 'Acme',
  ENV: 'production',
  URL: 'https://api.acme.com',
  FILE: 'production.secrets',
  N: '5',
  NETWORK: 'sepolia',
  ADDRESS: '0x52908400098527886E0F7030069857D2E4169EE7',
  SAFE: '0x52908400098527886E0F7030069857D2E4169EE7',
};
const filledIn = (args: string) => args.split(' ').map((token) => PLACEHOLDERS[token] ?? token);

/** Returns the arguments of each complete command. An ellipsis, a bracket or COMMAND marks an incomplete one. */
function argumentsOf(script: string, source: string): string[][] {
  const whole = ofNpm(source).filter((command) => !/[…[(]|\bCOMMAND\b/.test(command));
  const start = `${script} -- `;
  return whole.filter((command) => command.startsWith(start)).map((command) => filledIn(command.slice(start.length)));
}

describe('the operators’ documents give only options that the command takes', () => {
  it.each`
    script        | declare            | atLeast
    ${'doctor'}   | ${doctorCommand}   | ${6}
    ${'partner'}  | ${partnerCommand}  | ${9}
    ${'rebuild'}  | ${rebuildCommand}  | ${2}
    ${'takeover'} | ${takeoverCommand} | ${2}
    ${'network'}  | ${networkCommand}  | ${14}
  `('to $script', ({ script, declare, atLeast }) => {
    const shown = argumentsOf(script, text).filter(([first]) => first !== '--help');
    expect(shown.length).toBeGreaterThanOrEqual(atLeast);
    for (const args of shown) expect(() => parseCommand(declare, args), args.join(' ')).not.toThrow();
  });

  it('to deploy', () => {
    for (const args of argumentsOf('deploy', text)) expect(args).toEqual(['--env', expect.stringMatching(/^\w+$/)]);
  });
});

it('the steps of the deployment page deploy, register a partner and run the doctor', () => {
  const page = textOf('deployment.md');
  expect(argumentsOf('deploy', page)).toContainEqual(['--env', 'production']);
  expect(argumentsOf('partner', page).map(([verb]) => verb)).toContain('add');
  expect(argumentsOf('doctor', page).length).toBeGreaterThanOrEqual(3);
});
