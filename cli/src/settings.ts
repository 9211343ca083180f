import { readFileSync } from 'node:fs';
import { createGatepass, type Gatepass, type Retries } from '@gatepass/client';
import { parse } from 'dotenv';
import { boundedFetch } from './bounded-fetch.ts';
import { Failure } from './failure.ts';

/** The service, and the OAuth client of the partner. */
export interface Settings {
  readonly url: string;
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly audience: string | undefined;
  readonly scope: string | undefined;
}

type Variables = Readonly<Record<string, string | undefined>>;

const REQUIRED = ['GATEPASS_URL', 'GATEPASS_TOKEN_URL', 'GATEPASS_CLIENT_ID', 'GATEPASS_CLIENT_SECRET'];

/**
 * Returns the settings from the environment and an env file. A variable of the file replaces that of the environment, because the
 * file was named for this command. Throws Failure if a variable is missing, and the error of an unreadable file.
 */
export function readSettings(envFile: string | undefined, environment: Variables): Settings {
  const variables: Variables = { ...environment, ...(envFile !== undefined && parse(readFileSync(envFile, 'utf8'))) };
  const missing = REQUIRED.filter((name) => !variables[name]);
  if (missing.length > 0)
    throw new Failure(
      `${missing.join(', ')}: not set. Set ${missing.length > 1 ? 'them' : 'it'}, or name a file with --env-file`,
    );
  const read = (name: string) => variables[name] ?? '';
  return {
    url: demandUrl('GATEPASS_URL', read('GATEPASS_URL')),
    tokenUrl: demandUrl('GATEPASS_TOKEN_URL', read('GATEPASS_TOKEN_URL')),
    clientId: read('GATEPASS_CLIENT_ID'),
    clientSecret: read('GATEPASS_CLIENT_SECRET'),
    audience: variables.GATEPASS_AUDIENCE || undefined,
    scope: variables.GATEPASS_SCOPE || undefined,
  };
}

function demandUrl(name: string, text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text.replace(/\/$/, '');
  throw new Failure(`${name} is not a URL that begins with http`);
}

/** Opens the client of the service. */
export function connect(
  { url, tokenUrl, clientId, clientSecret, audience, scope }: Settings,
  retries?: Retries,
): Gatepass {
  const parameters = { ...(audience !== undefined && { audience }), ...(scope !== undefined && { scope }) };
  const fetch = boundedFetch();
  const credentials = { tokenUrl, clientId, clientSecret, fetch, ...parameters };
  return createGatepass({ baseUrl: url, fetch, credentials, ...(retries && { retries }) });
}
