import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { PROJECT } from '../../../terminal/wrangler.ts';

/** `examples/gatepass.py` names only what the OpenAPI document has. Fails on a machine without Python, as the examples' tests do. */

const FOLDER = 'test/unit/examples';

const python = (args: readonly string[], input = '') =>
  execFileSync('python3', ['-B', ...args], { cwd: PROJECT, input, encoding: 'utf8' });

type Fields = Readonly<Record<string, string>>;
interface Operation {
  readonly method: string;
  readonly path: string;
  readonly pathParameters: readonly string[];
  readonly query: readonly string[];
  readonly body: string | null;
  readonly result: string;
  readonly repeatable: boolean;
}
interface Described {
  readonly types: Readonly<Record<string, Fields>>;
  readonly words: Readonly<Record<string, readonly string[]>>;
  readonly operations: readonly Operation[];
  readonly fields: readonly string[];
  readonly uses: readonly string[];
  readonly codes: readonly string[];
  readonly imports: readonly string[];
  readonly standard: readonly string[];
  readonly undocumented: readonly string[];
  readonly untyped: readonly string[];
  readonly variables: readonly string[];
}

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly 'x-extensible-enum'?: readonly string[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly allOf?: readonly Schema[];
}
interface Parameter {
  readonly $ref?: string;
  readonly name?: string;
  readonly in?: string;
  readonly schema?: Schema;
}
type Content = { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> };
interface OperationObject {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}

const module = JSON.parse(python([join(FOLDER, 'describe-module.py'), 'examples/gatepass.py'])) as Described;
const { paths, components } = JSON.parse(readFileSync(join(PROJECT, 'docs/partners/openapi.json'), 'utf8')) as {
  paths: Record<string, Record<string, OperationObject>>;
  components: { schemas: Record<string, Schema>; parameters: Record<string, Parameter> };
};

const nameOf = (ref: string) => ref.slice(ref.lastIndexOf('/') + 1);
const resolve = (schema: Schema): Schema =>
  schema.$ref === undefined ? schema : resolve(components.schemas[nameOf(schema.$ref)] ?? {});

/** The fields of a schema, also those that it has from others. */
function fieldsOf(schema: Schema): { properties: Record<string, Schema>; required: string[] } {
  const { allOf = [], properties = {}, required = [] } = resolve(schema);
  const parts = allOf.map(fieldsOf);
  return {
    properties: Object.assign({}, ...parts.map((part) => part.properties), properties),
    required: [...parts.flatMap((part) => part.required), ...required],
  };
}

const PLAIN: Readonly<Record<string, string>> = { str: 'string', int: 'integer', bool: 'boolean' };

/** Whether a type of Python accepts exactly the values of a schema, as far as both name them. */
function agrees(type: string, schema: Schema): boolean {
  const { type: json, items, ...more } = resolve(schema);
  const [, nullable] = /^(\w+) \| None$/.exec(type) ?? [];
  if (nullable !== undefined) return Array.isArray(json) && json.includes('null') && json.includes(PLAIN[nullable]);
  const [, element] = /^list\[(\w+)\]$/.exec(type) ?? [];
  if (element !== undefined) return json === 'array' && items !== undefined && agrees(element, items);
  const words = module.words[type];
  if (words !== undefined) return words.toSorted().join() === more.enum?.toSorted().join();
  const fields = module.types[type];
  if (fields === undefined) return PLAIN[type] === json && more.enum === undefined;
  if (schema.$ref !== undefined) return nameOf(schema.$ref) === type;
  // A part of a request may have a schema without a name, with the same fields.
  return Object.keys(fields).toSorted().join() === Object.keys(fieldsOf(schema).properties).toSorted().join();
}

const operation = ({ method, path }: Operation) => paths[path]?.[method.toLowerCase()];
const parametersOf = (one: Operation, place: string) =>
  (operation(one)?.parameters ?? [])
    .map((each) => (each.$ref === undefined ? each : (components.parameters[nameOf(each.$ref)] ?? {})))
    .filter((each) => each.in === place)
    .map(({ name = '' }) => name);
const schemaIn = (content: Content | undefined) => content?.content?.['application/json']?.schema;

describe('the types of examples/gatepass.py', () => {
  const types = Object.entries(module.types);
  it.each(types)('%s has the fields of the schema with its name, with their types', (name, fields) => {
    const schema = components.schemas[name];
    expect(schema, `${name} is a schema`).toBeDefined();
    const { properties, required } = fieldsOf(schema as Schema);
    for (const [field, annotation] of Object.entries(fields)) {
      const [, optional] = /^NotRequired\[(.*)\]$/.exec(annotation) ?? [];
      const property = properties[field];
      expect(property, `${name}.${field} is a property`).toBeDefined();
      expect([field, required.includes(field)]).toEqual([field, optional === undefined]);
      expect([field, annotation, agrees(optional ?? annotation, property as Schema)]).toEqual([
        field,
        annotation,
        true,
      ]);
    }
  });

  it.each(types.filter(([name]) => !/Request$/.test(name)))('%s lacks no field of an answer', (name, fields) => {
    expect(Object.keys(fields).toSorted()).toEqual(
      Object.keys(fieldsOf(components.schemas[name] ?? {}).properties).toSorted(),
    );
  });
});

describe('the operations of examples/gatepass.py', () => {
  it.each(module.operations)('$method $path is in the document, with its parameters, body and answer', (one) => {
    const documented = operation(one);
    expect(documented, 'the operation').toBeDefined();
    expect(parametersOf(one, 'path').toSorted()).toEqual(one.pathParameters.toSorted());
    const queries = parametersOf(one, 'query');
    expect(one.query.filter((name) => !queries.includes(name))).toEqual([]);
    const body = schemaIn(documented?.requestBody);
    expect(body?.$ref === undefined ? null : nameOf(body.$ref)).toBe(one.body);
    const success = Object.entries(documented?.responses ?? {}).find(([status]) => status.startsWith('2'))?.[1];
    const answer = fieldsOf(schemaIn(success) ?? {}).properties;
    const result = Object.keys(module.types[one.result] ?? {});
    expect(result).not.toEqual([]);
    expect(result.filter((field) => !(field in answer))).toEqual([]);
  });

  it('are the life of a pass, the search, the feed and the sandbox', () => {
    const named = module.operations.map(({ method, path }) => `${method} ${path}`);
    expect(named).toEqual([
      'POST /pass/{chain}/{chainNetwork}',
      'GET /pass/{chain}/{chainNetwork}/{wallet}',
      'PATCH /pass/{chain}/{chainNetwork}/{wallet}',
      'DELETE /pass/{chain}/{chainNetwork}/{wallet}',
      'POST /pass',
      'GET /events',
      'GET /sandbox/clock',
      'POST /sandbox/clock',
      'POST /sandbox/trigger',
    ]);
  });
});

/** RFC 6749, sections 4.4 and 5. */
const OAUTH = ['access_token', 'expires_in', 'error', 'error_description'];
/** RFC 9110. */
const HTTP = ['Authorization', 'Content-Length', 'Content-Type', 'Retry-After'];

it('examples/gatepass.py reads and writes only fields, parameters and headers of the document, and those of OAuth and HTTP', () => {
  const properties = Object.values(components.schemas).flatMap((schema) => Object.keys(fieldsOf(schema).properties));
  const parameters = Object.values(components.parameters).map(({ name = '' }) => name);
  const known = new Set([...properties, ...parameters, ...OAUTH, ...HTTP]);
  expect(module.fields.filter((name) => !known.has(name))).toEqual([]);
  expect(module.fields.length).toBeGreaterThan(20);
});

it('examples/gatepass.py gives its variables only fields of their types', () => {
  const isField = (use: string) => {
    const [type = '', field = ''] = use.split('.');
    return field in (module.types[type] ?? {});
  };
  expect(module.uses.filter((use) => !isField(use))).toEqual([]);
  expect(module.uses).toContain('UpdateRequest.state');
});

it('examples/gatepass.py has the words of the document for chains and for types of events', () => {
  const types = (paths['/events']?.get?.parameters ?? []).find(({ name }) => name === 'type')?.schema?.items?.enum;
  expect(module.words.EventType).toEqual(types);
  expect(module.words.TriggerType).toEqual(components.schemas.TriggerRequest?.properties?.type?.enum);
  expect(module.words.ChainType).toEqual(components.schemas.ChainName?.enum);
});

it('examples/gatepass.py knows only problem codes of the document', () => {
  const codes = components.schemas.Problem?.properties?.code?.['x-extensible-enum'] ?? [];
  expect(module.codes.filter((code) => !codes.includes(code))).toEqual([]);
  expect(module.codes).toContain('pass_not_found');
});

it('examples/gatepass.py imports only the standard library, and has types and docstrings and no variables of the module', () => {
  // Only a checker of types executes the import of `typing_extensions`, which every checker contains.
  const foreign = module.imports.filter(
    (name) => !['__future__', 'typing_extensions', ...module.standard].includes(name),
  );
  // Python 3.9 does not know the names of its own library.
  expect(module.standard.length === 0 ? [] : foreign).toEqual([]);
  expect([module.untyped, module.undocumented, module.variables]).toEqual([[], [], []]);
});

describe('verify_webhook', () => {
  const NOW = 1_795_172_630;
  const secretOf = (byte: string) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`;
  const SECRET = secretOf('a');
  const event = { id: 'p.1', type: 'pass.issued', timestamp: '2026-11-20T11:03:45.000Z', data: { note: 'ünï' } };

  function delivery(changes: { body?: string; secrets?: string | string[]; now?: number; headers?: object } = {}) {
    const signed = JSON.stringify(event);
    const signature = new Webhook(SECRET).sign('p.1', new Date(NOW * 1000), signed);
    const headers = { 'Webhook-Id': 'p.1', 'webhook-timestamp': String(NOW), 'webhook-signature': signature };
    return { body: signed, secrets: SECRET, now: NOW, ...changes, headers: { ...headers, ...changes.headers } };
  }
  const signedBy = (byte: string, body: string, id = 'p.1') => ({
    body,
    headers: { 'webhook-signature': new Webhook(secretOf(byte)).sign(id, new Date(NOW * 1000), body) },
  });

  const good = { ...delivery() };
  const CASES: readonly (readonly [string, object, string | RegExp])[] = [
    ['accepts what standardwebhooks signs', good, 'p.1'],
    ['accepts one of two secrets during a rotation', delivery({ secrets: [secretOf('b'), SECRET] }), 'p.1'],
    [
      'accepts one of two signatures',
      delivery({ headers: { 'webhook-signature': `v1,AAAA ${good.headers['webhook-signature']}` } }),
      'p.1',
    ],
    ['accepts a delivery of five minutes ago', delivery({ now: NOW + 300 }), 'p.1'],
    ['refuses an older one', delivery({ now: NOW + 301 }), /^NotVerified: .*too old/],
    ['refuses one from the future', delivery({ now: NOW - 301 }), /^NotVerified: .*future/],
    ['refuses a changed body', delivery({ body: `${JSON.stringify(event)} ` }), /^NotVerified: no signature/],
    ['refuses another id', delivery({ headers: { 'Webhook-Id': 'p.2' } }), /^NotVerified: no signature/],
    [
      'refuses another time',
      delivery({ headers: { 'webhook-timestamp': String(NOW + 1) } }),
      /^NotVerified: no signature/,
    ],
    ['refuses digits of another script', delivery({ headers: { 'webhook-timestamp': '١٧٩٥١٧٢٦٣٠' } }), /not a time/],
    ['refuses another secret', delivery({ secrets: secretOf('b') }), /^NotVerified: no signature/],
    ['refuses a missing signature', delivery({ headers: { 'webhook-signature': '' } }), /is missing$/],
    [
      'refuses a signature that is no ASCII',
      delivery({ headers: { 'webhook-signature': 'v1,ü v2,x' } }),
      /^NotVerified: no signature/,
    ],
    [
      'refuses a body that is no JSON, although it is signed',
      delivery(signedBy('a', 'none')),
      /^NotVerified: the body is not/,
    ],
    [
      'refuses a body with another id, although it is signed',
      delivery(signedBy('a', '{"id":"p.2","type":"x"}')),
      /^NotVerified: the body is not/,
    ],
    ['demands a secret', delivery({ secrets: [] }), /^ValueError: verify_webhook needs/],
    ['demands a secret in its form', delivery({ secrets: ` ${SECRET}` }), /^ValueError: a secret .* malformed/],
    ['demands a secret of 24 bytes', delivery({ secrets: 'whsec_AAAA' }), /^ValueError: a secret .* malformed/],
  ];
  const outcomes = JSON.parse(
    python([join(FOLDER, 'verify-deliveries.py')], JSON.stringify(CASES.map(([, sent]) => sent))),
  ) as string[];

  it.each(CASES.map(([title, , expected], at) => ({ title, expected, outcome: outcomes[at] })))(
    '$title',
    ({ expected, outcome }) => {
      if (typeof expected === 'string') expect(outcome).toBe(expected);
      else expect(outcome).toMatch(expected);
    },
  );

  it('shows no secret in an error', () => {
    expect(outcomes.filter((text) => text.includes(SECRET.slice(6, 30)))).toEqual([]);
  });
});
