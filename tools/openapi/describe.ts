import * as v from 'valibot';
import type { Text } from './fields.ts';

/**
 * The text of a field in a request: a description, a schema that has a name in the document, or a function that describes the
 * parts of the field, as `object` and `list` return it.
 */
export type FieldText = Text | v.GenericSchema | ((field: Shape) => Shape);
export type FieldTexts = Readonly<Record<string, FieldText>>;

/** A request schema with texts, and the schema of the Worker that it describes. */
export type Described = v.GenericSchema & { readonly source: v.GenericSchema };

/** The parts of a valibot schema that have texts. */
interface Shape {
  readonly type: string;
  readonly entries?: Readonly<Record<string, Shape>>;
  readonly item?: Shape;
  /** The schema in an optional or nullable one. */
  readonly wrapped?: Shape;
  readonly pipe?: readonly Shape[];
  /** The function of a transform. */
  readonly operation?: unknown;
}

const shapeOf = (schema: object) => schema as Shape;

/**
 * Returns a request schema of the Worker with texts. The schemas of replies have theirs inside, so that both are converted in
 * the same way. Throws if a field has no text, or a text no field.
 */
export function describe<Entries>(
  schema: v.GenericSchema & { readonly entries: Entries },
  text: string,
  fields: Readonly<Record<keyof Entries, FieldText>>,
): Described;
export function describe(schema: v.GenericSchema, text: Text): Described;
export function describe(schema: v.GenericSchema, text: string | Text, fields: FieldTexts = {}): Described {
  const described = withText(describeFields(shapeOf(schema), fields), text);
  return { ...described, source: schema } as unknown as Described;
}

/** Describes a field that is an object. */
export const object = (text: string, fields: FieldTexts) => (field: Shape) =>
  withText(describeFields(field, fields), text);

/** Describes a field that is a list, whose items have a name in the document. */
export const list = (text: string, item: v.GenericSchema) => (field: Shape) =>
  withText(withParts(field, { item: shapeOf(item) }), text);

/** Returns the schema of a query with texts. */
export function describeQuery(schema: v.GenericSchema, texts: FieldTexts): v.GenericSchema {
  return describeFields(shapeOf(schema), texts) as unknown as v.GenericSchema;
}

function describeFields(schema: Shape, texts: FieldTexts): Shape {
  const { entries = {} } = schema;
  for (const name of Object.keys(texts))
    if (!(name in entries)) throw new Error(`${name} is no field: remove its text`);
  const described = Object.entries(entries).map(([name, field]) => {
    const text = texts[name];
    if (text === undefined) throw new Error(`the field ${name} has no text: add one`);
    return [name, describeField(field, text)];
  });
  return withParts(schema, { entries: Object.fromEntries(described) });
}

function describeField(field: Shape, text: FieldText): Shape {
  if (typeof text === 'function') return within(field, text);
  return text.kind === 'schema' ? within(field, () => shapeOf(text)) : withText(within(field, asNumber), text);
}

/** Replaces the schema in an optional or nullable field, or the field itself. */
function within(field: Shape, change: (inner: Shape) => Shape): Shape {
  return field.wrapped === undefined ? change(field) : withParts(field, { wrapped: within(field.wrapped, change) });
}

/** Returns the schema without its transform to a number: a value in a query is text, and the document shows a number. */
function asNumber(field: Shape): Shape {
  return field.pipe === undefined
    ? field
    : { ...field, pipe: field.pipe.filter(({ operation }) => operation !== Number) };
}

function withParts({ pipe, ...schema }: Shape, parts: Partial<Shape>): Shape {
  const [first, ...actions] = pipe ?? [];
  return { ...schema, ...parts, ...(first && { pipe: [withParts(first, parts), ...actions] }) };
}

/** Returns the schema with a text before its first transform, where the conversion ends. */
function withText(schema: Shape, text: string | Text): Shape {
  const { pipe = [schema] } = schema;
  const end = pipe.findIndex(({ type }) => type === 'transform');
  const action = shapeOf(typeof text === 'string' ? v.description(text) : text);
  return { ...schema, pipe: pipe.toSpliced(end < 0 ? pipe.length : end, 0, action) };
}
