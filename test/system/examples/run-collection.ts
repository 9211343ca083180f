import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { PROJECT } from '../../../terminal/wrangler.ts';
import type { Auth, Collection, Folder, Item, Parameter } from '../../../tools/collection/postman-collection.ts';

/** The outcome of a run. */
export interface Run {
  /** The answers to the requests in order, with their bodies as text. */
  readonly answers: readonly { readonly name: string; readonly status: number; readonly body: string | undefined }[];
  /** The messages of the checks in the scripts that failed. */
  readonly failures: readonly string[];
}

/** The part of a request that the scripts of the collection send by themselves. */
interface ScriptRequest {
  readonly url: string;
  readonly method: string;
  readonly body: { readonly urlencoded: readonly { readonly key: string; readonly value: string }[] };
}

interface ScriptResponse {
  readonly code: number;
  readonly headers: Headers;
  text(): string;
  json(): unknown;
}

const committed = (): Collection =>
  JSON.parse(readFileSync(join(PROJECT, 'examples/gatepass.postman_collection.json'), 'utf8'));

/**
 * Runs the named folders or requests of the Postman collection with these variables, as far as the collection uses the format.
 * `npm run test:packages` compares it with Postman's own runner.
 */
export async function runCollection(
  only: readonly string[],
  variables: Readonly<Record<string, string>>,
  collection: Collection = committed(),
): Promise<Run> {
  const scope = new Map(collection.variable.map(({ key, value }) => [key, value]));
  for (const [name, value] of Object.entries(variables)) scope.set(name, value);
  const answers: Run['answers'][number][] = [];
  const failures: string[] = [];
  for (const folder of collection.item) {
    for (const item of folder.item) {
      if (!only.includes(folder.name) && !only.includes(item.name)) continue;
      await runScripts('prerequest', folder, scope, failures);
      const response = await send(item, folder.auth ?? collection.auth, scope);
      await runScripts('test', folder, scope, failures, response);
      answers.push({ name: item.name, status: response.code, body: response.text() });
    }
  }
  return { answers, failures };
}

async function send({ request }: Item, auth: Auth, scope: ReadonlyMap<string, string>): Promise<ScriptResponse> {
  const fill = (text: string) => text.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => scope.get(name) ?? '');
  const sent = (entries: readonly Parameter[]) =>
    entries.filter(({ disabled }) => !disabled).map(({ key, value }): [string, string] => [key, fill(value)]);
  const { url, method, header, body } = request;
  const values = new Map(url.variable.map(({ key, value }) => [`:${key}`, encodeURIComponent(fill(value))]));
  const path = url.path.map((part) => values.get(part) ?? part).join('/');
  const query = new URLSearchParams(sent(url.query));
  const headers = new Headers(sent(header));
  if (auth.type === 'oauth2') {
    const prefix = valueIn(auth.oauth2, 'headerPrefix');
    headers.set('authorization', `${prefix} ${fill(valueIn(auth.oauth2, 'accessToken'))}`);
  }
  const address = `${fill(url.host.join('.'))}/${path}${query.size > 0 ? `?${query}` : ''}`;
  return responseOf(await fetch(address, { method, headers, ...(body && { body: fill(body.raw) }) }));
}

const valueIn = (entries: readonly { readonly key: string; readonly value: string }[], name: string) =>
  entries.find(({ key }) => key === name)?.value ?? '';

async function responseOf(response: Response): Promise<ScriptResponse> {
  const body = await response.text();
  return { code: response.status, headers: response.headers, text: () => body, json: () => JSON.parse(body) };
}

/** Runs the scripts of a folder with the part of Postman's interface that they use, until their own requests have ended. */
async function runScripts(
  moment: 'prerequest' | 'test',
  { event = [] }: Folder,
  scope: Map<string, string>,
  failures: string[],
  response?: ScriptResponse,
): Promise<void> {
  const requests: Promise<void>[] = [];
  const pm = {
    variables: { get: (name: string) => scope.get(name) },
    collectionVariables: { set: (name: string, value: string) => void scope.set(name, value) },
    response,
    expect: (value: unknown, message: string) => ({
      to: {
        equal(wanted: unknown) {
          if (value !== wanted) throw new Error(`${message}: expected ${value} to equal ${wanted}`);
        },
      },
    }),
    test(_: string, check: () => void) {
      try {
        check();
      } catch (error) {
        failures.push((error as Error).message);
      }
    },
    sendRequest({ url, method, body }: ScriptRequest, done: (error: unknown, response?: ScriptResponse) => void) {
      const form = new URLSearchParams(body.urlencoded.map(({ key, value }): [string, string] => [key, value]));
      const sending = fetch(url, { method, body: form }).then(responseOf);
      requests.push(
        sending.then(
          (answer) => done(null, answer),
          (error) => done(error),
        ),
      );
    },
  };
  const context = createContext({ pm });
  for (const { listen, script } of event) if (listen === moment) runInContext(script.exec.join('\n'), context);
  await Promise.all(requests);
}
