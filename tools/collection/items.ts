import { STATUS_CODES } from 'node:http';
import { v5 as uuidOf } from 'uuid';
import {
  type Body,
  type Document,
  exampleOf,
  examplesOf,
  type Operation,
  type Parameter,
  parametersOf,
} from './openapi-document.ts';
import type { Item, Request, SavedResponse } from './postman-collection.ts';

/** The headers of a request that the collection sends. Partners may enable the other parameters. */
const SENT_HEADERS: Readonly<Record<string, string>> = { Prefer: 'wait=20', 'Gatepass-Bookmark': '{{bookmark}}' };

/** The variable that fills a parameter of the path or a field of a body. */
const VARIABLE_BY_FIELD: Readonly<Record<string, string>> = {
  chain: 'chain',
  chainNetwork: 'chainNetwork',
  network: 'chainNetwork',
  wallet: 'wallet',
  walletAddress: 'wallet',
};

/** Returns the id of a part of the collection. The same name always gives the same id. */
export const idOf = (name: string) => uuidOf(`gatepass:${name}`, uuidOf.URL);

/** Returns the request of an operation, with the responses of its success as examples. */
export function itemOf(document: Document, path: string, method: string, operation: Operation): Item {
  const request = requestOf(document, path, method.toUpperCase(), operation);
  const id = idOf(`${request.method} ${request.url.path.join('/')}`);
  return { id, name: operation.summary, request, response: responsesOf(id, request, operation) };
}

function requestOf(document: Document, path: string, method: string, operation: Operation): Request {
  const parameters = parametersOf(document, operation);
  const placed = (place: Parameter['in']) => parameters.filter((each) => each.in === place);
  const [type, body] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const [accepted] = successesOf(operation).flatMap(({ content = {} }) => Object.keys(content));
  return {
    method,
    description: operation.description ?? '',
    url: {
      host: ['{{baseUrl}}'],
      path: path
        .slice(1)
        .replaceAll(/\{(\w+)\}/g, ':$1')
        .split('/'),
      query: placed('query').map((each) => ({ ...entryOf(each), disabled: true })),
      variable: placed('path').map((each) => ({
        ...entryOf(each),
        value: String(fillValue(each.name, exampleOf(each))),
      })),
    },
    header: [
      ...placed('header').map((each) => ({
        ...entryOf(each),
        value: SENT_HEADERS[each.name] ?? exampleOf(each),
        disabled: SENT_HEADERS[each.name] === undefined,
      })),
      ...(type === undefined ? [] : [{ key: 'Content-Type', value: type }]),
      ...(accepted === undefined ? [] : [{ key: 'Accept', value: accepted }]),
    ],
    ...(body && { body: { mode: 'raw', raw: filledBodyOf(body), options: { raw: { language: 'json' } } } }),
  };
}

const entryOf = (parameter: Parameter) => ({
  key: parameter.name,
  value: exampleOf(parameter),
  description: parameter.description ?? '',
});

/** Returns the example of a body about a wallet, or else its first one, with variables for the pass. */
function filledBodyOf(body: Body): string {
  const texts = examplesOf(body).map((example) => JSON.stringify(example, undefined, 2));
  const text = texts.find((each) => each.includes('"walletAddress"')) ?? texts[0] ?? '{}';
  return JSON.stringify(JSON.parse(text, fillValue), undefined, 2);
}

function fillValue<T>(key: string, value: T): T | string {
  const variable = Object.hasOwn(VARIABLE_BY_FIELD, key) ? VARIABLE_BY_FIELD[key] : undefined;
  return typeof value === 'string' && variable !== undefined ? `{{${variable}}}` : value;
}

const successesOf = ({ responses }: Operation) =>
  Object.entries(responses)
    .map(([code, response]) => ({ code: Number(code), ...response }))
    .filter(({ code }) => code < 300);

/** Returns the responses of successes only, because the description of the collection lists the problems. */
function responsesOf(id: string, originalRequest: Request, operation: Operation): SavedResponse[] {
  return successesOf(operation).map(({ code, description, content = {} }) => {
    const [type = '', body = {}] = Object.entries(content)[0] ?? [];
    const [example] = examplesOf(body);
    return {
      id: uuidOf(`${code}`, id),
      name: description,
      originalRequest,
      code,
      status: STATUS_CODES[code] ?? '',
      header: type === '' ? [] : [{ key: 'Content-Type', value: type }],
      body: example === undefined ? '' : JSON.stringify(example, undefined, 2),
      _postman_previewlanguage: type === 'application/json' ? 'json' : 'text',
    };
  });
}
