import { Ajv2020 } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { validate } from '../../../../src/http/protocol/validate.ts';
import { IssueBody, isDigits, SearchBody, UpdateBody } from '../../../../src/http/schemas/requests.ts';
import { PageQuery, RebuildBody, RedriveBody, StuckQuery } from '../../../../src/operator/requests.ts';
import { assertAllUsed } from '../../../../tools/openapi/checks.ts';
import { describe as describeSchema, list, object } from '../../../../tools/openapi/describe.ts';
import { annotate, EXAMPLE } from '../../../../tools/openapi/fields.ts';
import { jsonSchema, queryFields } from '../../../../tools/openapi/json-schema.ts';
import { committed, operations } from './committed-document.ts';

/** Compares the document with the Worker: a JSON Schema validator and the Worker's own validation check the same requests. */

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const ajv = new Ajv2020({ strict: false, formats: { uuid: UUID, int32: true, int64: true, uri: true } });
ajv.addSchema({ ...committed, $id: 'openapi' });
const documented = (name: string) => ajv.compile({ $ref: `openapi#/components/schemas/${name}` });

const wallet = fc.constantFrom(EXAMPLE.ethereumWallet, EXAMPLE.solanaWallet);
/** Values that few fields accept: any JSON, and numbers out of bounds. */
const odd = fc.oneof(fc.constantFrom(null, true, '', 'x', 0, -1, 1.5, 101, 1e6, 1e12, 1e16, [], {}), fc.jsonValue());
const whole = fc.integer({ min: -2, max: 110 });
const mostly = <T>(good: fc.Arbitrary<T>) => fc.oneof({ weight: 20, arbitrary: good }, { weight: 1, arbitrary: odd });
const states = fc.constantFrom('REQUESTED', 'ACTIVE', 'FROZEN', 'REVOKED', 'REJECTED');
const time = fc.constantFrom(0, 1, 1_826_708_625, 253_402_300_799, 253_402_300_800);
const order = fc.constantFrom('newest', 'oldest');
const prefix = fc.constantFrom('0x123456', '0Xabcdef', 'AbCdE1', '0x12345', '0x12345g');
const place = fc.constantFrom(EXAMPLE.id, `1800000000.${EXAMPLE.id}`, '0xa.0xa.ethereum.sepolia');
const id = fc.oneof(fc.uuid(), fc.constantFrom(EXAMPLE.id, EXAMPLE.id.toUpperCase(), 'x'));

/** Returns objects with some of the fields, sometimes with an unknown field. */
const some = (fields: Record<string, fc.Arbitrary<unknown>>) =>
  fc
    .tuple(
      fc.record(Object.fromEntries(Object.entries(fields).map(([name, each]) => [name, mostly(each)])), {
        requiredKeys: [],
      }),
      fc.oneof({ weight: 15, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: fc.record({ color: odd }) }),
    )
    .map(([own, more]) => ({ ...own, ...more }));

const pass = some({
  gatekeeperNetwork: fc.constant(EXAMPLE.gatekeeperNetwork),
  chain: fc.constantFrom('ethereum', 'solana'),
  network: fc.constantFrom('sepolia', 'devnet'),
  walletAddress: wallet,
});
const BODIES = [
  { name: 'IssueRequest', schema: IssueBody, bodies: some({ walletAddress: wallet }) },
  { name: 'UpdateRequest', schema: UpdateBody, bodies: some({ state: states, expiryTimestamp: time }) },
  {
    name: 'SearchRequest',
    schema: SearchBody,
    bodies: fc.oneof(
      some({ limit: whole, skip: whole, after: id, filter: some({ state: states, walletAddress: wallet }) }),
      some({ order, count: fc.boolean(), filter: some({ state: states }) }),
      some({ order, filter: some({ walletPrefix: prefix }) }),
      some({ filter: some({ walletPrefix: prefix, walletAddress: wallet }) }),
      some({ after: place, filter: some({ validity: fc.constantFrom('valid', 'expired'), expiresBefore: time }) }),
    ),
  },
  {
    name: 'RedriveRequest',
    schema: RedriveBody,
    bodies: fc.oneof(
      some({ pass }),
      some({ all: fc.constant('stuck'), olderThan: whole, after: fc.constant(EXAMPLE.position) }),
      some({ deadLetter: fc.constant(EXAMPLE.letter), olderThan: whole }),
      some({ deadLetters: fc.constant('all'), pass, after: fc.constant(EXAMPLE.position) }),
    ),
  },
  {
    name: 'RebuildRequest',
    schema: RebuildBody,
    bodies: some({
      shard: fc.constant('DB'),
      objects: fc.array(fc.constantFrom(EXAMPLE.objectId, 'x', 1), { maxLength: 3 }),
      start: fc.boolean(),
      position: fc.constantFrom('4000', null),
    }),
  },
];

/** The Worker checks the format of these fields after the schema, and refuses them with other codes. */
const LATER = ['walletAddress', 'gatekeeperNetwork', 'chain', 'network', 'deadLetter'];

function isLater(errors: typeof ajv.errors): boolean {
  return (errors ?? []).some(({ instancePath, keyword }) => {
    const field = instancePath.split('/').at(-1) ?? '';
    return LATER.includes(field) && ['pattern', 'enum', 'minLength'].includes(keyword);
  });
}

describe.each(BODIES)('$name', ({ name, schema, bodies }) => {
  const isDocumented = documented(name);

  it('is valid by the document if and only if the Worker accepts it', () => {
    const seen = { accepted: 0, refused: 0 };
    fc.assert(
      fc.property(bodies, (body) => {
        const accepted = 'output' in validate(schema as v.GenericSchema, body);
        seen[accepted ? 'accepted' : 'refused'] += 1;
        if (isDocumented(body)) return accepted;
        return !accepted || isLater(isDocumented.errors);
      }),
      { numRuns: 3_000, seed: 20_261_122 },
    );
    expect(Math.min(seen.accepted, seen.refused)).toBeGreaterThan(200);
  });
});

describe('the query of GET /admin/stuck', () => {
  const stuck = operations.find(({ name }) => name === 'GET /admin/stuck')?.operation;
  const parameters = (stuck?.parameters ?? []) as { name: string; schema: { default?: unknown } }[];

  it.each(['0', '1', '100', '101', '-1', '1.5', '3153600000', '3153600001', 'x'])(
    'accepts %s if and only if the document does',
    (text) => {
      for (const { name, schema } of parameters.filter((each) => each.name !== 'after')) {
        const accepted = v.is(StuckQuery, { [name]: text });
        expect([name, ajv.validate(schema, Number.isNaN(Number(text)) ? text : Number(text))]).toEqual([
          name,
          accepted,
        ]);
      }
    },
  );

  it('has the defaults of the document', () => {
    const given = parameters.flatMap(({ name, schema }) => ('default' in schema ? [[name, schema.default]] : []));
    expect(v.parse(StuckQuery, {})).toEqual(Object.fromEntries(given));
    expect(given.length).toBe(2);
  });
});

describe('the generator', () => {
  const isEven = v.check((n: number) => n % 2 === 0);

  it('refuses a check without JSON Schema keywords, at any depth', () => {
    expect(() => jsonSchema(v.pipe(v.number(), isEven))).toThrow('check');
    expect(() => jsonSchema(v.object({ deep: v.optional(v.pipe(v.number(), isEven)) }))).toThrow('check');
    expect(() => jsonSchema(v.date())).toThrow('date');
  });

  it('writes the keywords of a check, and ignores the actions after a transform', () => {
    const halved = v.pipe(
      v.string(),
      v.check(isDigits),
      v.transform((digits) => Number(digits) / 2),
      v.maxValue(9),
    );
    expect(jsonSchema(halved)).toEqual({ type: 'integer', format: 'int64' });
  });

  const color = annotate('Its color.', 'red');

  it('writes the text of each field of a request, at any depth', () => {
    const source = v.object({
      deep: v.optional(v.object({ color: v.nullable(v.string()) })),
      all: v.pipe(v.array(v.unknown()), v.minLength(1)),
    });
    const body = describeSchema(source, 'A body.', {
      deep: object('An object.', { color }),
      all: list('A list.', v.string()),
    });
    expect(body.source).toBe(source);
    expect(jsonSchema(body)).toEqual({
      type: 'object',
      description: 'A body.',
      properties: {
        deep: {
          type: 'object',
          description: 'An object.',
          properties: { color: { type: ['string', 'null'], description: 'Its color.', examples: ['red'] } },
          required: ['color'],
        },
        all: { type: 'array', description: 'A list.', items: { type: 'string' }, minItems: 1 },
      },
      required: ['all'],
    });
  });

  it('shows a number in a query with its bounds', () => {
    const [limit] = queryFields(PageQuery, { limit: annotate('A number.', 7), after: annotate('A text.', 'x') });
    const schema = { type: 'integer', minimum: 1, maximum: 100, default: '100', format: 'int32' };
    expect(limit).toEqual({
      name: 'limit',
      required: false,
      schema: { ...schema, description: 'A number.', examples: [7] },
    });
  });

  it('refuses a field without a text, at any depth', () => {
    const deep = v.object({ color: v.string() });
    const withTexts = (fields: object) => () => describeSchema(v.object({ deep }), 'A body.', fields as never);
    expect(withTexts({ deep: object('An object.', { color }) })).not.toThrow();
    expect(withTexts({ deep: object('An object.', {}) })).toThrow('the field color has no text');
    expect(withTexts({})).toThrow('the field deep has no text');
    expect(() => queryFields(PageQuery, {})).toThrow('the field limit has no text');
  });

  it('refuses an entry for a check that no schema makes', () => {
    jsonSchema(v.pipe(v.string(), v.check(isDigits)));
    assertAllUsed([isDigits]);
    expect(() => assertAllUsed([isDigits, function isGone() {}])).toThrow(/isGone/);
  });

  it('refuses a text of a field that no longer exists', () => {
    const texts = { color, gone: color };
    expect(() => queryFields(v.object({ color: v.string() }), texts)).toThrow('gone is no field');
  });
});
