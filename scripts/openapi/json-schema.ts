import { type ConversionConfig, toJsonSchema, toJsonSchemaDefs } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';
import * as admin from '../../src/http/schemas/admin-replies.ts';
import { RedriveBody } from '../../src/http/schemas/admin-requests.ts';
import { Chain } from '../../src/http/schemas/fields.ts';
import * as problems from '../../src/http/schemas/problem.ts';
import * as replies from '../../src/http/schemas/replies.ts';
import {
  ChainName,
  IssueBody,
  NetworkName,
  PassFilter,
  SearchBody,
  UpdateBody,
  Wallet,
} from '../../src/http/schemas/requests.ts';

/** The schemas of the routes as JSON Schema 2020-12, which is that of OpenAPI 3.1. */

export type Json = Record<string, unknown>;

/** What has a name of its own in the document: generated clients have a type of that name. */
const NAMED: Record<string, GenericSchema> = {
  ...replies,
  ...admin,
  ...problems,
  Chain,
  ChainName,
  NetworkName,
  Wallet,
  IssueRequest: IssueBody,
  UpdateRequest: UpdateBody,
  SearchRequest: SearchBody,
  PassFilter,
  RedriveRequest: RedriveBody,
};

/** Whatever can be converted neither by the library nor by these throws. */
const CONVERSION: ConversionConfig = {
  target: 'draft-2020-12',
  typeMode: 'input',
  overrideRef: ({ referenceId }) => refTo('schemas', referenceId),
  overrideAction: ({ valibotAction, jsonSchema }) => {
    if ('metadata' in valibotAction) return withWords(jsonSchema as Json);
    if ('said' in valibotAction) return { ...jsonSchema, ...(valibotAction.said as Json) };
    // Either case is taken.
    return valibotAction.type === 'to_lower_case' ? jsonSchema : undefined;
  },
  overrideSchema: ({ valibotSchema, jsonSchema }) => {
    if (valibotSchema.type === 'literal') return { type: 'string', ...jsonSchema };
    if (valibotSchema.type === 'nullable') return nullable(jsonSchema as Json);
    if (valibotSchema.type === 'optional') return withPlainDefault(jsonSchema as Json);
    // The names of its fields are strings: what else?
    const { propertyNames: _, ...record } = jsonSchema;
    return valibotSchema.type === 'record' ? record : undefined;
  },
};

/** Not every tool shows the list itself. */
function withWords(json: Json): Json {
  const words = json['x-extensible-enum'] as readonly string[] | undefined;
  if (words === undefined) return json;
  const listed = words.map((word) => `\`${word}\``).join(', ');
  return { ...json, description: `${json.description} Today one of ${listed}; there may be others.` };
}

/** Simple values take null as a second type: tools show that better than a choice of schemas. */
function nullable(jsonSchema: Json): Json {
  const [inner = {}] = jsonSchema.anyOf as Json[];
  const isSimple = ['string', 'integer'].includes(String(inner.type));
  return isSimple ? { ...inner, type: [inner.type, 'null'] } : jsonSchema;
}

/** An object as a default says nothing, and makes clients of some languages send it, or not compile. */
function withPlainDefault({ default: value, ...json }: Json): Json {
  return value === undefined || typeof value === 'object' ? json : { ...json, default: value };
}

export const refTo = (kind: string, name: string) => `#/components/${kind}/${name}`;

export function namedSchemas(): Record<string, Json> {
  return sized(toJsonSchemaDefs(NAMED, CONVERSION)) as Record<string, Json>;
}

/** A reference where the schema has a name. */
export function jsonSchema(schema: GenericSchema): Json {
  const { $schema, $defs, ...json } = toJsonSchema(schema, { ...CONVERSION, definitions: NAMED }) as Json;
  return sized(json) as Json;
}

/** Whole numbers with their size: clients of some languages would take 32 bits for all of them. */
function sized(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(sized);
  if (typeof json !== 'object' || json === null) return json;
  const { type, maximum = Number.POSITIVE_INFINITY } = json as Json & { maximum?: number };
  const within = Object.fromEntries(Object.entries(json).map(([name, each]) => [name, sized(each)]));
  return [type].flat().includes('integer') ? { ...within, format: maximum < 2 ** 31 ? 'int32' : 'int64' } : within;
}

export interface Field {
  readonly name: string;
  readonly required: boolean;
  readonly schema: Json;
}

/** What a schema of an object says of each of its fields. */
export function fieldsOf(schema: GenericSchema): Field[] {
  const { properties = {}, required = [] } = jsonSchema(schema) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, each]) => ({ name, required: required.includes(name), schema: each }));
}
