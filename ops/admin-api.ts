import { type Retries, withRetries } from '../packages/client/src/retries.ts';
import { type Call, sendWith } from '../packages/client/src/send.ts';
import { type Credentials, clientCredentials, type Token, withToken } from '../packages/client/src/token.ts';
import { Failure } from '../terminal/failure.ts';
import type { Deployment } from './nodes/deployment.ts';

/** The parts of a problem document that a person reads. */
interface Problem {
  readonly detail?: string;
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[];
}

/** Calls the admin API and returns the JSON of the answer. Throws Failure if the service refuses or does not answer. */
export type AdminCall = <T>(method: 'GET' | 'POST' | 'PATCH', path: string, body?: object) => Promise<T>;

/** A database that has just been restored may be slow. */
const RETRIES: Retries = { times: 10, withinMs: 300_000, attemptMs: 60_000 };

export function openAdminApi(url: string, credentials: Credentials | string, retries: Retries = RETRIES): AdminCall {
  const send = sendWith();
  const token: Token =
    typeof credentials === 'string'
      ? async () => credentials
      : clientCredentials(credentials, withRetries(send, retries));
  const sendWithToken = withRetries(withToken(send, token), retries);
  return async <T>(method: 'GET' | 'POST' | 'PATCH', path: string, body?: object) => {
    const headers: Record<string, string> = { accept: 'application/json' };
    if (body) headers['content-type'] = 'application/json';
    const call: Call = {
      url: `${url}${path}`,
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
    };
    const answer = await sendWithToken(call).catch((fault: Error) => {
      throw new Failure(`${method} ${path}: ${fault.message}`);
    });
    const json = (await answer.json().catch(() => undefined)) as (T & Problem) | undefined;
    if (answer.ok && json !== undefined) return json;
    const { detail = 'no reason given', errors = [] } = json ?? {};
    const faults = errors.map(({ pointer, detail: fault }) => ` ${pointer} ${fault}.`).join('');
    throw new Failure(`${method} ${path} answered ${answer.status}: ${detail}${faults}`, answer.status === 400 ? 2 : 1);
  };
}

/** Opens the admin API of a deployment with the operator's credentials. Throws Failure if it has no URL or no credentials. */
export function openService(deployment: Deployment, retries?: Retries): AdminCall {
  return openAdminApi(urlOf(deployment), credentialsOf(deployment), retries);
}

/** Returns the URL that the command names, or that of the deployment. */
export function urlOf({ url, variables }: Deployment): string {
  const { PUBLIC_ORIGIN: origin, BASE_PATH: basePath = '' } = variables;
  if (url === undefined && !origin)
    throw new Failure('the deployment has no PUBLIC_ORIGIN: name the service with --url', 2);
  return url ?? `${origin}${basePath}`;
}

/** Returns the operator's credentials. The deployment names the token endpoint and the audience, unless the environment does. */
export function credentialsOf({ variables, operator }: Deployment): Credentials | string {
  const text = (name: string) => String(variables[name] ?? '');
  const isSameIssuer = !text('ADMIN_ISSUER') || text('ADMIN_ISSUER') === text('TOKEN_ISSUER');
  const tokenUrl = text('ADMIN_TOKEN_URL') || (isSameIssuer ? text('TOKEN_URL') : '');
  const known = Object.fromEntries(Object.entries(operator).filter(([, value]) => value));
  return credentialsIn({ GATEPASS_TOKEN_URL: tokenUrl, GATEPASS_AUDIENCE: text('ADMIN_AUDIENCE'), ...known });
}

/** Returns the operator's token, or the credentials to fetch one, from the environment. Throws Failure if it has neither. */
export function credentialsIn(environment: Readonly<Record<string, string | undefined>>): Credentials | string {
  const { GATEPASS_TOKEN: token, GATEPASS_AUDIENCE: audience, GATEPASS_SCOPE: scope } = environment;
  if (token) return token;
  const {
    GATEPASS_TOKEN_URL: tokenUrl,
    GATEPASS_CLIENT_ID: clientId,
    GATEPASS_CLIENT_SECRET: clientSecret,
  } = environment;
  if (!tokenUrl || !clientId || !clientSecret)
    throw new Failure('set GATEPASS_TOKEN, or GATEPASS_TOKEN_URL, GATEPASS_CLIENT_ID and GATEPASS_CLIENT_SECRET');
  return { tokenUrl, clientId, clientSecret, ...(audience && { audience }), ...(scope && { scope }) };
}
