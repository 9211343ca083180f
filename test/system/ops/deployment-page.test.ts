import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { experimental_getWranglerCommands } from 'wrangler';
import { parseToml } from '../../../ops/deploy/deployment-values.ts';
import { SECRET_NAMES } from '../../../ops/deploy/secret-names.ts';
import { deployCommand } from '../../../ops/deploy.ts';
import { doctorCommand } from '../../../ops/doctor.ts';
import { networkCommand } from '../../../ops/network/commands.ts';
import { partnerCommand } from '../../../ops/partner/commands.ts';
import { rebuildCommand } from '../../../ops/rebuild.ts';
import { revokeCommand } from '../../../ops/revoke.ts';
import { rollbackCommand } from '../../../ops/rollback.ts';

import { ISSUERS, issuersOf } from '../../../ops/setup/issuers.ts';
import { setupCommand } from '../../../ops/setup/options.ts';
import { OWN_VARIABLES } from '../../../ops/setup/values.ts';
import { shardCommand } from '../../../ops/shard.ts';
import { takeoverCommand } from '../../../ops/takeover.ts';
import { PROJECT } from '../../../terminal/wrangler.ts';
import { GATEKEEPER_NETWORKS } from '../../../tools/localnet/oauth/partners.ts';
import { parseCommand } from '../../parse-command.ts';
import { manifest } from '../../unit/package-files.ts';

/** The commands in the operators' documents exist, and take the options that the documents show. */

const FOLDER = join(PROJECT, 'docs/operators');
const textOf = (name: string) => readFileSync(join(FOLDER, name), 'utf8');
const text = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map(textOf)
  .join('\n');

const commands = (source: string, pattern: RegExp) => [
  ...new Set([...source.matchAll(pattern)].map(([, it = '']) => it.trim())),
];
const ofWrangler = (source: string) => commands(source, /\b(?:npx wrangler|npm run wrangler --) ([^\n`#|&;>]+)/g);
const ofNpm = (source: string) => commands(source, /\bnpm run ([^\n`#|&;>]+)/g);

const wrangler = experimental_getWranglerCommands();

interface Flag {
  readonly type?: unknown;
  readonly hidden?: boolean | undefined;
}

/** Compares a command with wrangler's own list, from which it makes its help; returns the difference, or undefined. */
function complaint(command: string): string | undefined {
  const tokens = command.split(' ');
  let node = wrangler.registry;
  let depth = 0;
  for (let next = node.subtree.get(tokens[0] ?? ''); next; next = node.subtree.get(tokens[depth] ?? '')) {
    node = next;
    depth += 1;
  }
  const { definition } = node;
  if (definition?.type !== 'command') return `there is no \`${command}\``;
  const flags: Readonly<Record<string, Flag>> = { ...wrangler.globalFlags, ...definition.args };
  let words = 0;
  for (let at = depth; at < tokens.length; at += 1) {
    const [, name] = /^--(.+)/.exec(tokens[at] ?? '') ?? [];
    if (name === undefined) words += 1;
    else if (flags[name] === undefined || flags[name].hidden) return `it does not take --${name}`;
    // The next token is its value.
    else if (flags[name].type !== 'boolean') at += 1;
  }
  return words <= (definition.positionalArgs ?? []).length ? undefined : `there is no \`${command}\``;
}

it('the operators’ documents show only commands and options that wrangler has', () => {
  const named = ofWrangler(text).filter((command) => !/^COMMAND\b/.test(command));
  expect(named.length).toBeGreaterThan(9);
  expect(named.map((command) => [command, complaint(command)]).filter(([, why]) => why !== undefined)).toEqual([]);
  expect(complaint('d1 creation gatepass')).toContain('there is no');
  expect(complaint('d1 create gatepass second')).toContain('there is no');
  expect(complaint('secret bulk file --environment production')).toBe('it does not take --environment');
});

it('the operators’ documents name only npm scripts that package.json has', () => {
  const scripts = ofNpm(text).map((command) => command.split(' ')[0] ?? '');
  expect(scripts).toContain('doctor');
  expect(scripts.filter((name) => !Object.hasOwn(manifest().scripts, name))).toEqual([]);
});

const PLACEHOLDERS: Readonly<Record<string, string>> = {
  CONTRACT: '0xF65b6396dF6B7e2D8a6270E3AB6c7BB08BAEF22E',
  KEY: GATEKEEPER_NETWORKS[0] ?? '',
  NEW: GATEKEEPER_NETWORKS[1] ?? '',
  ID: 'acme',
  CLIENT_ID: 'acme',
  NAME: 'Acme',
  ENV: 'production',
  URL: 'https://api.acme.com',
  $GATEPASS_URL: 'https://api.acme.com',
  LEAKED: '0x52908400098527886E0F7030069857D2E4169EE7',
  FROM: '2026-11-26T09:00:00Z',
  TO: '2026-11-26T10:30:00Z',
  FILE: 'production.secrets',
  N: '5',
  NETWORK: 'sepolia',
  OLD_ADDRESS: '0x52908400098527886E0F7030069857D2E4169EE7',
  ADDRESS: '0x52908400098527886E0F7030069857D2E4169EE7',
  SAFE: '0x52908400098527886E0F7030069857D2E4169EE7',
  REFERENCE:
    'aws-kms:arn:aws:kms:eu-central-1:111122223333:key/4b0e7c52-8f0d-4a7e-9d36-0d1f6f6f0a01#0x52908400098527886E0F7030069857D2E4169EE7',
};
/** Divides the arguments as a shell does: quotes hold a value with spaces together. */
const filledIn = (args: string) =>
  [...args.matchAll(/'([^']*)'|"([^"]*)"|\S+/g)].map(
    ([token, single, double]) => single ?? double ?? PLACEHOLDERS[token] ?? token,
  );

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
    ${'deploy'}   | ${deployCommand}   | ${4}
    ${'rollback'} | ${rollbackCommand} | ${2}
    ${'partner'}  | ${partnerCommand}  | ${9}
    ${'rebuild'}  | ${rebuildCommand}  | ${2}
    ${'shard'}    | ${shardCommand}    | ${3}
    ${'revoke'}   | ${revokeCommand}   | ${6}
    ${'takeover'} | ${takeoverCommand} | ${2}
    ${'setup'}    | ${setupCommand}    | ${2}
    ${'network'}  | ${networkCommand}  | ${14}
  `('to $script', ({ script, declare, atLeast }) => {
    const shown = argumentsOf(script, text).filter(([first]) => first !== '--help');
    expect(shown.length).toBeGreaterThanOrEqual(atLeast);
    for (const args of shown) expect(() => parseCommand(declare, args), args.join(' ')).not.toThrow();
  });
});

it('ten actions take an operator from nothing to a service', () => {
  const page = textOf('deployment.md');
  const [, list = ''] = /## From nothing to a service\n([\s\S]*?)\n## /.exec(page) ?? [];
  const actions = list.match(/^\d+\. /gm) ?? [];
  expect(actions).toHaveLength(10);
  // The first run releases the service, and the second one registers the partner there.
  expect(argumentsOf('setup', list).map((args) => args.includes('--client-id'))).toEqual([false, true]);
  expect(argumentsOf('doctor', page).length).toBeGreaterThanOrEqual(2);
});

it('the worksheet has every value that the setup asks for or takes, and that a deployment needs', () => {
  const [, sheet = ''] = /## Worksheet\n([\s\S]*?)\n## /.exec(textOf('deployment.md')) ?? [];
  const values = sheet.split('\n').flatMap((row) => (row.startsWith('| ') ? [row.split(' | ')[0] ?? ''] : []));
  const listed = values.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
  const example = parseToml(join(PROJECT, 'deployments/example.toml')) as { readonly vars: object };
  const keys = readFileSync(join(PROJECT, 'deployments/example.toml'), 'utf8').matchAll(/^# \[?([a-z_]+)/gm);
  const options = setupCommand(async () => undefined).options.flatMap(({ long }) => long ?? []);
  // The setup itself has or makes these.
  const others = [
    '--env',
    '--dry-run',
    '--set',
    '--secrets',
    '--url',
    '--sandbox',
    'd1_databases',
    '--version',
    '--help',
  ];
  const needed = [
    ...OWN_VARIABLES.map(([name]) => name),
    ...SECRET_NAMES,
    ...Object.keys(example.vars),
    ...[...keys].map(([, key = '']) => key).filter((key) => isValue(key)),
    ...options,
  ].filter((name) => !others.includes(name));
  expect(needed.length).toBeGreaterThan(30);
  expect([...new Set(needed)].filter((name) => !listed.includes(name))).toEqual([]);
});

/** Whether the values of a deployment may have the key: the comments of the example have words too. */
const isValue = (key: string) =>
  ['name', 'account_id', 'routes', 'workers_dev', 'observability', 'ratelimits', 'd1_databases'].includes(key);

it('the table of issuers on the deployment page is the one that the setup prints from', () => {
  const [, table = ''] = textOf('deployment.md').split('\n## Issuers\n');
  const rows = table.split('\n').filter((line) => /^\| .*`https:/.test(line));
  const code = (text: string) => `\`${text}\``;
  expect(rows).toEqual(
    ISSUERS.map((each) =>
      [
        '',
        each.issuer,
        ...[each.tokenIssuer, each.jwksUrl, each.clientClaim, each.scopeClaim].map(code),
        each.atProvider,
        '',
      ]
        .join(' | ')
        .trim(),
    ),
  );
  // Each of the common authorization servers is found by its own issuer.
  expect(issuersOf('https://acme.eu.auth0.com/').length).toBeGreaterThan(0);
  expect(issuersOf('https://acme.okta.com/oauth2/aus1').map(({ issuer }) => issuer)).toEqual([
    'Okta, custom authorization server',
  ]);
  expect(issuersOf('https://id.acme.io/realms/acme').every(({ issuer }) => issuer.startsWith('Keycloak'))).toBe(true);
  expect(issuersOf('https://login.acme.io')).toEqual([]);
});
