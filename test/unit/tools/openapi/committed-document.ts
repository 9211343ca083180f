import operators from '../../../../docs/operators/openapi.json' with { type: 'json' };
import partners from '../../../../docs/partners/openapi.json' with { type: 'json' };

/** The committed documents, and their operations and fields. */

export type Json = Readonly<Record<string, unknown>>;

interface OpenApiDocument {
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, Json>>>>;
}

export const documents = { partners, operators } as unknown as Readonly<
  Record<'partners' | 'operators', OpenApiDocument>
>;

const kinds = Object.keys(documents.partners.components);

/** Both documents as one. A component that both have is the same in both. */
export const committed: Pick<OpenApiDocument, 'paths' | 'components'> = {
  paths: { ...documents.partners.paths, ...documents.operators.paths },
  components: Object.fromEntries(
    kinds.map((kind) => [kind, { ...documents.partners.components[kind], ...documents.operators.components[kind] }]),
  ),
};

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly Json[];
  readonly requestBody?: Json;
  readonly responses: Readonly<Record<string, Answer>>;
}

export interface Answer {
  readonly content?: Readonly<Record<string, { readonly schema?: Json; readonly examples?: Json }>>;
}

const METHODS = ['get', 'post', 'patch', 'delete'];

/** Returns the operations of a document, with names like `POST /pass/{chain}`. */
export const operationsIn = ({ paths }: Pick<OpenApiDocument, 'paths'>) =>
  Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation === undefined ? [] : [{ name: `${method.toUpperCase()} ${path}`, operation }];
    }),
  );

export const operations = operationsIn(committed);

/** Returns the target of a reference, with the keywords beside the reference. */
export function resolveRef({ $ref, ...beside }: Json): Json {
  if ($ref === undefined) return beside;
  const [kind = '', name = ''] = String($ref).split('/').slice(-2);
  const found = committed.components[kind]?.[name];
  if (found === undefined) throw new Error(`${$ref} has no target`);
  return { ...resolveRef(found), ...beside };
}

export interface Field {
  /** The path of the field in the document. */
  readonly at: string;
  readonly schema: Json;
}

/** Returns all fields of bodies, parameters and headers, and of the objects in them. */
export function everyField(): Field[] {
  const { schemas = {}, parameters = {}, headers = {} } = committed.components;
  const named = Object.entries(schemas).flatMap(([name, schema]) => fieldsIn(schema, name));
  const written = operations.flatMap(({ name, operation }) =>
    (operation.parameters ?? []).map((each) => ({ ...resolveRef(each), at: `${name} ${resolveRef(each).name}` })),
  );
  const others = [...Object.entries(parameters), ...Object.entries(headers)].map(([at, each]) => ({ ...each, at }));
  return [...named, ...[...written, ...others].map(fieldOf)];
}

function fieldOf({ at, description, schema }: Json): Field {
  return { at: String(at), schema: { ...resolveRef(schema as Json), description } };
}

function fieldsIn(schema: Json, at: string): Field[] {
  const {
    properties = {},
    items,
    anyOf = [],
    allOf = [],
    additionalProperties,
  } = schema as {
    properties?: Readonly<Record<string, Json>>;
    items?: Json;
    anyOf?: readonly Json[];
    allOf?: readonly Json[];
    additionalProperties?: Json | boolean;
  };
  const inside = Object.entries(properties).flatMap(([name, each]) => [
    { at: `${at}/${name}`, schema: resolveRef(each) },
    ...fieldsIn(each, `${at}/${name}`),
  ]);
  const parts = [
    items,
    ...anyOf,
    ...allOf,
    typeof additionalProperties === 'object' ? additionalProperties : undefined,
  ];
  return [...inside, ...parts.flatMap((part) => (part === undefined ? [] : fieldsIn(part, `${at}/-`)))];
}
