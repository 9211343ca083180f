import { readFileSync } from 'node:fs';
import { createGatepass, type Gatepass, type Listener, type Retries } from '@gatepass/client';
import { parse } from 'dotenv';
import { Failure } from './failure.ts';
import { readProfile } from './profiles.ts';

/** The service, and the OAuth client of the partner. */
export interface Settings {
  readonly url: string;
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly audience: string | undefined;
  readonly scope: string | undefined;
  /** The secret with which `listen` signs; undefined: it makes one. */
  readonly webhookSecret: string | undefined;
}

/** The options of the command line that name the settings. */
export interface SettingsSource {
  readonly envFile?: string;
  readonly profile?: string;
}

type Variables = Readonly<Record<string, string | undefined>>;

const REQUIRED = ['GATEPASS_URL', 'GATEPASS_TOKEN_URL', 'GATEPASS_CLIENT_ID', 'GATEPASS_CLIENT_SECRET'] as const;
const OPTIONAL = ['GATEPASS_AUDIENCE', 'GATEPASS_SCOPE', 'GATEPASS_WEBHOOK_SECRET'] as const;

/** Returns the name of the profile that the command line or the environment selects; undefined: none. */
export function profileOf({ envFile, profile }: SettingsSource, environment: Variables): string | undefined {
  if (envFile !== undefined && profile !== undefined) throw new Failure('name either --profile or --env-file');
  return envFile === undefined ? profile || environment.GATEPASS_PROFILE || undefined : undefined;
}

/**
 * Returns the variables of the settings from a profile, or from the environment and an env file. Nothing replaces a variable of a
 * profile: otherwise its secret could reach the URL of another service. A variable of an env file replaces that of the environment,
 * because the file was named for this command. Throws Failure if a variable is missing, and the error of an unreadable file.
 */
export function readVariables(source: SettingsSource, environment: Variables): Variables {
  const profile = profileOf(source, environment);
  const fromFile = source.envFile === undefined ? {} : parse(readFileSync(source.envFile, 'utf8'));
  const variables = profile === undefined ? { ...environment, ...fromFile } : readProfile(profile, environment);
  const missing = REQUIRED.filter((name) => !variables[name]);
  if (missing.length === 0)
    return Object.fromEntries(
      [...REQUIRED, ...OPTIONAL].flatMap((name) => (variables[name] ? [[name, variables[name]]] : [])),
    );
  if (profile !== undefined) throw new Failure(`the profile ${profile} has no ${missing.join(', ')}`);
  const them = missing.length > 1 ? 'them' : 'it';
  throw new Failure(`${missing.join(', ')}: not set. Set ${them}, or name a file with --env-file or a --profile`);
}

/** Returns the settings in these variables. Throws Failure if one is invalid. */
export function settingsIn(variables: Variables): Settings {
  const read = (name: (typeof REQUIRED)[number]) => variables[name] ?? '';
  return {
    url: demandUrl('GATEPASS_URL', read('GATEPASS_URL')),
    tokenUrl: demandUrl('GATEPASS_TOKEN_URL', read('GATEPASS_TOKEN_URL')),
    clientId: read('GATEPASS_CLIENT_ID'),
    clientSecret: read('GATEPASS_CLIENT_SECRET'),
    audience: variables.GATEPASS_AUDIENCE,
    scope: variables.GATEPASS_SCOPE,
    webhookSecret: variables.GATEPASS_WEBHOOK_SECRET,
  };
}

function demandUrl(name: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new Failure(`${name} is not a URL that begins with http`);
  // Nothing uses them, and errors would show them.
  if (url.username !== '' || url.password !== '') throw new Failure(`${name} has a user name or a password`);
  return text.replace(/\/$/, '');
}

/** Opens the client of the service. */
export function connect(
  { url, tokenUrl, clientId, clientSecret, audience, scope }: Settings,
  retries?: Retries,
  on?: Listener,
): Gatepass {
  const parameters = { ...(audience !== undefined && { audience }), ...(scope !== undefined && { scope }) };
  const credentials = { tokenUrl, clientId, clientSecret, ...parameters };
  return createGatepass({ baseUrl: url, credentials, ...(retries && { retries }), ...(on && { on }) });
}
