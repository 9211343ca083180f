import { type ConversionConfig, toJsonSchema, toJsonSchemaDefs } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';
import type { ReplySchema } from '../../src/http/route.ts';
import * as adminReplies from '../../src/http/schemas/admin-replies.ts';
import {
  AbandonBody,
  AcceptBody,
  RebuildBody,
  RedriveBody,
  WithdrawBody,
} from '../../src/http/schemas/admin-requests.ts';
import * as bulkReplies from '../../src/http/schemas/bulk-replies.ts';
import { IssueItem, IssueManyBody, UpdateItem, UpdateManyBody } from '../../src/http/schemas/bulk-requests.ts';
import * as feedReplies from '../../src/http/schemas/feed-replies.ts';
import { Chain } from '../../src/http/schemas/fields.ts';
import * as problems from '../../src/http/schemas/problem.ts';
import * as reconciliationReplies from '../../src/http/schemas/reconciliation-replies.ts';
import * as replies from '../../src/http/schemas/replies.ts';
import {
  ChainName,
  GatekeeperNetworkKey,
  IssueBody,
  NetworkName,
  PassFilter,
  SearchBody,
  UpdateBody,
  Wallet,
} from '../../src/http/schemas/requests.ts';
import * as signerReplies from '../../src/http/schemas/signer-replies.ts';
import * as usageReplies from '../../src/http/schemas/usage-replies.ts';
import * as verifyReplies from '../../src/http/schemas/verify-replies.ts';
import * as webhookReplies from '../../src/http/schemas/webhook-replies.ts';
import {
  ReplayBody,
  SwitchWebhookBody,
  WebhookBody,
  WebhookChangeBody,
  WebhookId,
} from '../../src/http/schemas/webhook-requests.ts';
import { annotate, findCheckKeywords } from './annotate.ts';
import type { Json } from './json.ts';

/** The schemas of the routes as JSON Schema 2020-12, the dialect of OpenAPI 3.1. */

const REPLIES: Readonly<Record<ReplySchema, GenericSchema>> = {
  ...replies,
  ...bulkReplies,
  ...feedReplies,
  ...webhookReplies,
  ...signerReplies,
  ...adminReplies,
  ...reconciliationReplies,
  ...usageReplies,
  ...verifyReplies,
};

const REQUESTS: Readonly<Record<string, GenericSchema>> = {
  ChainName,
  NetworkName,
  Wallet,
  GatekeeperNetworkKey,
  IssueRequest: IssueBody,
  UpdateRequest: UpdateBody,
  IssueItem,
  UpdateItem,
  IssueManyRequest: IssueManyBody,
  UpdateManyRequest: UpdateManyBody,
  SearchRequest: SearchBody,
  PassFilter,
  RedriveRequest: RedriveBody,
  RebuildRequest: RebuildBody,
  AbandonRequest: AbandonBody,
  WithdrawRequest: WithdrawBody,
  AcceptRequest: AcceptBody,
  WebhookId,
  WebhookRequest: WebhookBody,
  WebhookChangeRequest: WebhookChangeBody,
  ReplayRequest: ReplayBody,
  SwitchWebhookRequest: SwitchWebhookBody,
};

/** The schema components of the document. Generated clients have a type for each name. */
const NAMED: Record<string, GenericSchema> = { ...REPLIES, ...problems, Chain, ...REQUESTS };

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
    // The handler validates such a value.
    if ('validated' in valibotSchema) return referenceTo(valibotSchema.validated as GenericSchema);
    if (valibotSchema.type === 'literal') return { type: 'string', ...jsonSchema };
    if (valibotSchema.type === 'nullable') return toNullable(jsonSchema as Json);
    if (valibotSchema.type === 'optional') return keepPlainDefault(jsonSchema as Json);
    // Field names are always strings, so `propertyNames` adds nothing.
    const { propertyNames: _, ...record } = jsonSchema;
    return valibotSchema.type === 'record' ? record : undefined;
  },
};

function referenceTo(schema: GenericSchema): Json {
  const name = Object.keys(REQUESTS).find((each) => REQUESTS[each] === schema);
  if (name === undefined) throw new Error('an item needs a name in the document');
  return { $ref: refTo('schemas', name) };
}

/** Lists the values in the description, because not every tool shows `x-extensible-enum`. */
function listWords(json: Json): Json {
  const words = json['x-extensible-enum'] as readonly string[] | undefined;
  if (words === undefined) return json;
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
  const schemas = Object.entries(toJsonSchemaDefs(NAMED, CONVERSION) as Record<string, Json>).toSorted(([a], [b]) =>
    a < b ? -1 : 1,
  );
  return Object.fromEntries(
    schemas.map(([name, json]) => [name, addIntegerFormats(name in REQUESTS ? annotate(json, name) : json) as Json]),
  );
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

/** Returns the fields of a path or a query, each with its annotations. */
export function parameterFields(schema: GenericSchema, operationId: string): Field[] {
  const { properties = {}, required = [] } = convert(schema) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, field]) => ({
    name,
    required: required.includes(name),
    schema: addIntegerFormats(annotate(field, `${operationId}/${name}`)) as Json,
  }));
}
