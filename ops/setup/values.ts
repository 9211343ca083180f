import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure } from '../../terminal/failure.ts';
import { shownFile, valuesFileOf } from '../deploy/deployment-values.ts';
import { ask, knownAnswers, type Question } from './ask.ts';
import { isRefused, issuersOf, plainAdvice } from './issuers.ts';
import type { SetupOptions } from './options.ts';

/** The variables that every deployment has of its own, and the questions for them. */
export const OWN_VARIABLES = [
  ['PUBLIC_ORIGIN', 'Where callers find the service'],
  ['TOKEN_ISSUER', 'The issuer of the partners’ tokens'],
  ['JWKS_URL', 'The URL of its keys'],
  ['TOKEN_URL', 'Where partners get their tokens'],
  ['TOKEN_AUDIENCE', 'The audience of the partners’ tokens'],
  ['ADMIN_AUDIENCE', 'The audience of your own tokens'],
  ['CLIENT_CLAIM', 'The claim with the OAuth client'],
  ['SCOPE_CLAIM', 'The claim with the scopes'],
] as const;
type OwnVariable = (typeof OWN_VARIABLES)[number][0];

const issuerIn = (answers: readonly string[]) =>
  answers[OWN_VARIABLES.findIndex(([name]) => name === 'TOKEN_ISSUER')] ?? '';

/** Returns the settings of the known issuer that the operator has named; undefined: it is another one. */
const settingsOf = (earlier: readonly string[]) => issuersOf(issuerIn(earlier))[0];

/** The proposed values. */
const PROPOSALS: Readonly<Partial<Record<OwnVariable, (earlier: readonly string[]) => string | undefined>>> = {
  JWKS_URL: (earlier) => settingsOf(earlier)?.jwksUrl,
  TOKEN_URL: (earlier) => settingsOf(earlier)?.tokenUrl,
  CLIENT_CLAIM: (earlier) => settingsOf(earlier)?.clientClaim ?? 'client_id',
  SCOPE_CLAIM: (earlier) => settingsOf(earlier)?.scopeClaim ?? 'scope',
};

/** Throws Failure for an issuer whose tokens the service never accepts. */
function checkIssuer(url: string): void {
  const [row] = issuersOf(url);
  if (row !== undefined && isRefused(row)) throw new Failure(plainAdvice(row));
}

function questionsFor({ route, set = [] }: SetupOptions): Question[] {
  const given = new Map(set);
  return OWN_VARIABLES.map(([name, text]) => ({
    option: `--set ${name}=…`,
    text: `${text} (${name})`,
    given: given.get(name),
    fallback: name === 'PUBLIC_ORIGIN' ? route && `https://${route}` : PROPOSALS[name],
    ...(name === 'TOKEN_ISSUER' && { check: checkIssuer }),
  }));
}

/** Asks for the values of the deployment. Returns the text of their file. */
export async function askForValues(options: SetupOptions): Promise<string> {
  const answers = await ask(questionsFor(options));
  checkIssuer(issuerIn(answers));
  return textOf(options, answers);
}

/** Returns the lines of the file, without comments. Values that the operator will be asked for are missing in them. */
export function plannedValues(options: SetupOptions): string[] {
  const { env } = options;
  const text = hasValues(env)
    ? readFileSync(valuesFileOf(env), 'utf8')
    : textOf(
        options,
        knownAnswers(questionsFor(options)).map((answer) => answer ?? ASKED),
      );
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.trimStart().startsWith('#'));
  return lines.some((line) => line.startsWith('routes'))
    ? lines
    : ['no routes: the service runs at workers.dev', ...lines];
}

const ASKED = '(the setup asks)';

function textOf({ route, set = [] }: SetupOptions, answers: readonly string[]): string {
  const vars = new Map<string, string>([
    ['LOG_SUCCESSES', '0.05'],
    ...set,
    ...OWN_VARIABLES.map(([name], at) => [name, answers[at] ?? ''] as const),
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
