import { type ConversionConfig, toJsonSchema, toJsonSchemaDefs } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';
import { findCheckKeywords } from './checks.ts';
import { describeQuery, type FieldTexts } from './describe.ts';
import { usualFirst } from './fields.ts';
import type { Json } from './json.ts';
import * as audit from './schemas/audit.ts';
import * as events from './schemas/events.ts';
import * as operator from './schemas/operator.ts';
import * as partners from './schemas/partners.ts';
import * as passes from './schemas/passes.ts';
import * as problem from './schemas/problem.ts';
import * as open from './schemas/public.ts';
import * as reconciliation from './schemas/reconciliation.ts';
import * as revocations from './schemas/revocations.ts';
import * as sandbox from './schemas/sandbox.ts';
import * as signers from './schemas/signers.ts';
import * as subjects from './schemas/subjects.ts';
import * as usage from './schemas/usage.ts';
import * as watchers from './schemas/watchers.ts';
import * as webhooks from './schemas/webhooks.ts';

/** The schemas of the routes as JSON Schema 2020-12, the dialect of OpenAPI 3.1. */

/** The schema components of the document. Generated clients have a type for each name. */
const NAMED: Record<string, GenericSchema> = {
  ...passes,
  ...subjects,
  ...events,
  ...usage,
  ...open,
  ...webhooks,
  ...sandbox,
  ...signers,
  ...watchers,
  ...operator,
  ...partners,
  ...reconciliation,
  ...revocations,
  ...audit,
  ...problem,
};

/** The conversion throws for a schema or an action that neither the library nor an override can express. */
const CONVERSION: ConversionConfig = {
  target: 'draft-2020-12',
  typeMode: 'input',
  overrideRef: ({ referenceId }) => refTo('schemas', referenceId),
  overrideAction: ({ valibotAction, jsonSchema }) => {
    if ('metadata' in valibotAction) return listWords(jsonSchema as Json);
    const keywords = findCheckKeywords(valibotAction);
    if (keywords !== undefined) return { ...jsonSchema, ...keywords };
    // A request may use upper or lower case, so this action restricts nothing.
    return valibotAction.type === 'to_lower_case' ? jsonSchema : undefined;
  },
  overrideSchema: ({ valibotSchema, jsonSchema }) => {
    if (valibotSchema.type === 'literal') return { type: typeof jsonSchema.const, ...jsonSchema } as Json;
    if (valibotSchema.type === 'picklist') return { ...jsonSchema, enum: usualFirst(jsonSchema.enum ?? []) };
    if (valibotSchema.type === 'nullable') return toNullable(jsonSchema as Json);
    if (valibotSchema.type === 'optional') return keepPlainDefault(jsonSchema as Json);
    // Field names are always strings, so `propertyNames` adds nothing.
    const { propertyNames: _, ...record } = jsonSchema;
    return valibotSchema.type === 'record' ? record : undefined;
  },
};

/** Lists the values in the description, because not every tool shows `x-extensible-enum`. Writes a default last. */
function listWords({ default: byDefault, ...json }: Json): Json {
  const words = json['x-extensible-enum'] as readonly string[] | undefined;
  if (words === undefined) return byDefault === undefined ? json : { ...json, default: byDefault };
  const listed = words.map((word) => `\`${word}\``).join(', ');
  return { ...json, description: `${json.description} Currently one of ${listed}. Later releases may add values.` };
}

/** Writes null as a second type of simple values, because tools show that better than a choice of schemas. */
function toNullable(jsonSchema: Json): Json {
  const [inner = {}] = jsonSchema.anyOf as Json[];
  const isSimple = ['string', 'integer'].includes(String(inner.type));
  return isSimple ? { ...inner, type: [inner.type, 'null'] } : jsonSchema;
}

/** Drops a default that is an object. It adds nothing, and generated clients of some languages send it or do not compile. */
function keepPlainDefault({ default: value, ...json }: Json): Json {
  return value === undefined || typeof value === 'object' ? json : { ...json, default: value };
}

export const refTo = (kind: string, name: string) => `#/components/${kind}/${name}`;

/** Returns the schema components in alphabetical order, so that moving a schema to another file changes nothing in the document. */
export function namedSchemas(): Record<string, Json> {
  const schemas = Object.entries(toJsonSchemaDefs(NAMED, CONVERSION) as Record<string, Json>);
  const sorted = schemas.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([name, json]) => [name, addIntegerFormats(json) as Json]));
}

/** Returns the JSON Schema: a reference if the schema has a name. */
export function jsonSchema(schema: GenericSchema): Json {
  return addIntegerFormats(convert(schema)) as Json;
}

function convert(schema: GenericSchema): Json {
  const { $schema, $defs, ...json } = toJsonSchema(schema, { ...CONVERSION, definitions: NAMED }) as Json;
  return json;
}

/** Adds a format to whole numbers. Without it, generated clients of some languages use 32 bits for all of them. */
function addIntegerFormats(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(addIntegerFormats);
  if (typeof json !== 'object' || json === null) return json;
  const { type, maximum = Number.POSITIVE_INFINITY } = json as Json & { maximum?: number };
  const inside = Object.fromEntries(Object.entries(json).map(([name, each]) => [name, addIntegerFormats(each)]));
  return [type].flat().includes('integer') ? { ...inside, format: maximum < 2 ** 31 ? 'int32' : 'int64' } : inside;
}

export interface Field {
  readonly name: string;
  readonly required: boolean;
  readonly schema: Json;
}

/** Returns the fields of a query with their texts. */
export function queryFields(query: GenericSchema, texts: FieldTexts): Field[] {
  const { properties, required } = jsonSchema(describeQuery(query, texts)) as {
    properties: Record<string, Json>;
    required: string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({ name, required: required.includes(name), schema }));
}
