import { describe, expect, it } from 'vitest';
import { PROBLEMS } from '../../../../src/http/protocol/problem.ts';
import { NETWORKS } from '../../../../src/network/networks.ts';
import { CODES_WITHOUT_ROUTE } from '../../../../tools/openapi/refusal-codes.ts';
import {
  type Answer,
  committed,
  documents,
  everyField,
  type Field,
  type Json,
  operations,
  operationsIn,
  resolveRef,
} from './committed-document.ts';

/** Checks that every field and every problem code is fully documented. The linter checks that the documents are valid. */

const fields = everyField();
const { schemas = {} } = committed.components;
const typesOf = ({ schema }: Field) => [schema.type].flat();
const at = (field: Field) => field.at;

describe('a field of the document', () => {
  it('is found by these tests wherever the document declares it', () => {
    expect(fields.length).toBeGreaterThan(100);
    const found = fields.map(at);
    expect(found).toEqual(expect.arrayContaining(['PassRecord/events', 'Signers/signers', 'Retry-After', 'Prefer']));
    expect(found).toContain('Signer/inFlight/sent');
    expect(found).toContain('GET /admin/stuck olderThan');
  });

  it('has its own description, which is a sentence', () => {
    expect(fields.filter(({ schema }) => !/^\S.*[.]$/s.test(String(schema.description ?? ''))).map(at)).toEqual([]);
  });

  it('has an example unless it consists of other fields', () => {
    const consists = ({ properties, items, anyOf }: Record<string, unknown>) => properties ?? items ?? anyOf;
    const lonely = fields.filter(({ schema }) => !Array.isArray(schema.examples) && !consists(schema));
    expect(lonely.map(at)).toEqual([]);
  });

  it('has bounds: a minimum and a format for a number, a format or a list of values for a text', () => {
    const numbers = fields.filter((field) => typesOf(field).includes('integer'));
    expect(numbers.length).toBeGreaterThan(25);
    expect(numbers.filter(({ schema }) => schema.minimum === undefined || !schema.format).map(at)).toEqual([]);
    expect(fields.filter((field) => typesOf(field).includes('number')).map(at)).toEqual([]);

    const FORMS = ['pattern', 'format', 'enum', 'const', 'minLength', 'x-extensible-enum'];
    const texts = fields.filter((field) => typesOf(field).includes('string'));
    expect(texts.length).toBeGreaterThan(40);
    const opaque = ['Gatepass-Bookmark', 'If-None-Match', 'Prefer'];
    const free = texts.filter(({ schema }) => !FORMS.some((form) => form in schema)).map(at);
    expect(free.filter((name) => !opaque.some((header) => name.endsWith(header)))).toEqual([]);
  });

  it('names the unit of its number', () => {
    const units = /seconds|number of|How often|nonce|sequence|place|status/i;
    const numbers = fields.filter((field) => typesOf(field).includes('integer'));
    expect(numbers.filter(({ schema }) => !units.test(String(schema.description))).map(at)).toEqual([]);
    const times = numbers.filter((field) => /[tT]imestamp|since|until|started|finished|night|\/at$/.test(field.at));
    expect(times.length).toBeGreaterThan(8);
    expect(times.filter(({ schema }) => !/Unix seconds/.test(String(schema.description))).map(at)).toEqual([]);
    expect(fields.find((field) => field.at === 'Signer/balance')?.schema.description).toMatch(/wei or lamports/);
  });
});

describe('an object schema', () => {
  const closed = Object.entries(schemas).filter(([, schema]) => schema.additionalProperties === false);

  it('is closed in a request and open in an answer', () => {
    const names = Object.keys(schemas).filter((name) =>
      /Request$|^(PassFilter|IssueItem|NamedPass|UpdateItem)$/.test(name),
    );
    expect(names.length).toBeGreaterThan(3);
    expect(closed.map(([name]) => name).toSorted()).toEqual(names.toSorted());
    expect(JSON.stringify(schemas.PassRecord)).not.toContain('"enum"');
  });
});

describe('a problem code', () => {
  const codes = Object.keys(PROBLEMS);
  const refusals = operations.flatMap(({ name, operation }) =>
    Object.entries(operation.responses).flatMap(([status, response]) =>
      Object.entries(
        (resolveRef(response as Json) as Answer).content?.['application/problem+json']?.examples ?? {},
      ).map(([code, example]) => {
        return {
          name,
          status: Number(status),
          code,
          value: resolveRef(example as Json).value as Record<string, unknown>,
        };
      }),
    ),
  );

  it('is in the list of the schema Problem and in its description', () => {
    const { code } = (schemas.Problem?.properties ?? {}) as Record<string, Record<string, unknown>>;
    expect(code?.['x-extensible-enum']).toEqual(codes);
    for (const each of codes) expect(code?.description).toContain(`\`${each}\``);
  });

  it('belongs to an operation unless it is for requests that match no route', () => {
    const found = new Set(refusals.map(({ code }) => code));
    expect(codes.filter((code) => !found.has(code))).toEqual(CODES_WITHOUT_ROUTE);
  });

  it('has an example with that code and that status in each operation', () => {
    expect(refusals.length).toBeGreaterThan(100);
    for (const { name, status, code, value } of refusals) {
      expect([name, value.status, value.code], name).toEqual([name, status, code]);
    }
  });

  it('has an example that names the wrong field if the code is about fields', () => {
    const wrong = refusals.filter(({ code }) =>
      ['invalid_request', 'invalid_wallet', 'unknown_network'].includes(code),
    );
    expect(wrong.length).toBeGreaterThan(10);
    for (const { value } of wrong) expect(value.errors).toEqual([expect.anything(), ...(value.errors as []).slice(1)]);
  });
});

describe('the two documents', () => {
  const { partners, operators } = documents;
  const tagsOf = (document: typeof partners) =>
    new Set(operationsIn(document).flatMap(({ operation }) => operation.tags));

  it('have the operations of their readers', () => {
    expect([operationsIn(partners).length, operationsIn(operators).length]).toEqual([33, 30]);
    expect(Object.keys(partners.paths).filter((path) => path.startsWith('/admin'))).toEqual([]);
    expect(Object.keys(operators.paths).filter((path) => !path.startsWith('/admin/'))).toEqual([]);
    expect(tagsOf(operators)).toEqual(new Set(['Operator']));
    for (const document of [partners, operators]) {
      expect(new Set(document.tags.map(({ name }) => name))).toEqual(tagsOf(document));
    }
  });

  it('share components that are the same in both', () => {
    const shared = Object.entries(partners.components).flatMap(([kind, parts]) =>
      Object.keys(parts).filter(
        (name) => name !== 'insufficient_scope' && kind !== 'securitySchemes' && operators.components[kind]?.[name],
      ),
    );
    expect(shared).toEqual(expect.arrayContaining(['Problem', 'PassEvent', 'X-Request-Id', 'rate_limited']));
    for (const [kind, parts] of Object.entries(partners.components))
      for (const name of Object.keys(parts).filter((each) => shared.includes(each)))
        expect(operators.components[kind]?.[name], name).toEqual(parts[name]);
  });

  it("have no schema, no example of a problem and no scope of the other reader's", () => {
    const namesIn = ({ components }: typeof partners) => [
      ...Object.keys(components.schemas ?? {}),
      ...Object.keys(components.examples ?? {}),
      ...new Set(JSON.stringify(components.securitySchemes).match(/"[a-z]+:?[a-z]*"(?=:"[A-Z])/g)),
    ];
    const OF_PARTNERS = ['PassRecord', 'IssueRequest', 'pass_frozen', '"issue:pass"'];
    const OF_OPERATORS = ['Signer', 'PartnerRequest', 'another_person_required', '"admin:read"', '"admin"'];
    expect(namesIn(partners)).toEqual(expect.arrayContaining(OF_PARTNERS));
    expect(namesIn(operators)).toEqual(expect.arrayContaining(OF_OPERATORS));
    expect(namesIn(partners).filter((name) => OF_OPERATORS.includes(name))).toEqual([]);
    expect(namesIn(operators).filter((name) => OF_PARTNERS.includes(name))).toEqual([]);
  });

  // Programs and assistants read the whole document before the first call.
  it('have less than 300 kB for a partner', () => {
    expect(Buffer.byteLength(JSON.stringify(partners))).toBeLessThan(300_000);
  });
});

describe('the document', () => {
  it('names the 28 networks and the chain of each', () => {
    expect(schemas.NetworkName?.enum).toHaveLength(28);
    expect(new Set(schemas.NetworkName?.enum as string[])).toEqual(new Set(NETWORKS.map(({ network }) => network)));
    expect(NETWORKS.filter(({ chain }) => chain === 'solana').map(({ network }) => network)).toEqual([
      'mainnet-beta',
      'devnet',
    ]);
    expect(schemas.NetworkName?.description).toContain(
      '`solana` has `mainnet-beta` and `devnet`, `ethereum` the other 26',
    );
    expect(NETWORKS.filter(({ chain }) => chain === 'ethereum')).toHaveLength(26);
  });

  // Importers send the first value of a list, whatever the example says. The first row of the table is a mainnet.
  it('has ethereum and sepolia first in every list that names them', () => {
    const lists = [...JSON.stringify(committed).matchAll(/"(?:x-extensible-)?enum":(\[[^\]]*\])/g)]
      .map(([, list = '']): string[] => JSON.parse(list))
      .filter((names) => names.includes('ethereum') || names.includes('sepolia'));
    expect(lists.length).toBeGreaterThan(3);
    expect(new Set(lists.map(([first]) => first))).toEqual(new Set(['ethereum', 'sepolia']));
  });

  it('shows expiries that are still years ahead', () => {
    const bodies = JSON.stringify(operations.map(({ operation }) => operation.requestBody));
    const expiries = [...bodies.matchAll(/"expiryTimestamp":(\d+)/g)].map(([, seconds]) => Number(seconds));
    expect(expiries.length).toBeGreaterThan(1);
    expect(Math.min(...expiries)).toBeGreaterThan(Date.UTC(2035) / 1000);
  });

  it('has no default that is an object', () => {
    const defaults = [...JSON.stringify(committed).matchAll(/"default":(.)/g)].map(([, first]) => first);
    expect(defaults.length).toBeGreaterThan(2);
    expect(defaults).not.toContain('{');
  });

  it('gives every call a distinct name that generated clients can use', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !/^[a-z]+[A-Za-z]*$/.test(id))).toEqual([]);
  });
});
