import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { shownFile, valuesFileOf } from '../deploy/deployment-values.ts';
import { ask, type Question } from './ask.ts';
import type { SetupOptions } from './options.ts';

/** The variables that every deployment has of its own, and the questions for them. */
const OWN_VARIABLES = [
  ['TOKEN_ISSUER', 'The issuer of the partners’ tokens'],
  ['JWKS_URL', 'The URL of its keys'],
  ['TOKEN_URL', 'Where partners get their tokens'],
  ['TOKEN_AUDIENCE', 'The audience of the partners’ tokens'],
  ['ADMIN_AUDIENCE', 'The audience of your own tokens'],
  ['CLIENT_CLAIM', 'The claim with the OAuth client'],
  ['SCOPE_CLAIM', 'The claim with the scopes'],
] as const;

const FALLBACKS: Readonly<Record<string, string>> = { CLIENT_CLAIM: 'client_id', SCOPE_CLAIM: 'scope' };

/** Asks for the values of the deployment. Returns the text of their file. */
export async function askForValues({ route, set = [] }: SetupOptions): Promise<string> {
  const given = new Map(set);
  const origin: Question = {
    option: '--set PUBLIC_ORIGIN=…',
    text: 'Where callers find the service',
    given: given.get('PUBLIC_ORIGIN'),
    ...(route && { fallback: `https://${route}` }),
  };
  const others = OWN_VARIABLES.map(([name, text]) => ({
    option: `--set ${name}=…`,
    text: `${text} (${name})`,
    given: given.get(name),
    ...(FALLBACKS[name] && { fallback: FALLBACKS[name] }),
  }));
  const answers = await ask([origin, ...others]);
  const names = ['PUBLIC_ORIGIN', ...OWN_VARIABLES.map(([name]) => name)];
  const vars = new Map([
    ...given,
    ...names.map((name, at) => [name, answers[at] ?? ''] as const),
    ...(given.has('LOG_SUCCESSES') ? [] : [['LOG_SUCCESSES', '0.05'] as const]),
  ]);
  return [
    '# The values of this deployment. Everything that is not here comes from wrangler.toml (docs/operators/configuration.md).',
    ...(route ? [`routes = [{ pattern = ${JSON.stringify(route)}, custom_domain = true }]`] : []),
    '',
    '[vars]',
    ...[...vars].map(([name, value]) => `${name} = ${JSON.stringify(value)}`),
    '',
  ].join('\n');
}

/** Writes the file in one piece: a kill leaves none or the whole one. */
export function writeValues(deployment: string, text: string): void {
  const file = valuesFileOf(deployment);
  mkdirSync(dirname(file), { recursive: true });
  const partial = `${file}.partial`;
  writeFileSync(partial, text, { flush: true });
  renameSync(partial, file);
}

export const hasValues = (deployment: string) => existsSync(valuesFileOf(deployment));

/** Adds a database to the file. Nothing else in it changes. */
export function addDatabase(deployment: string, database: { readonly name: string; readonly id: string }): string {
  const text = readFileSync(valuesFileOf(deployment), 'utf8').trimEnd();
  const added = [
    '',
    '[[d1_databases]]',
    'binding = "DB"',
    `database_name = ${JSON.stringify(database.name)}`,
    `database_id = ${JSON.stringify(database.id)}`,
    '',
  ];
  writeValues(deployment, [text, ...added].join('\n'));
  return shownFile(valuesFileOf(deployment));
}
