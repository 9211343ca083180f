import * as v from 'valibot';
import { type FieldError, type Refusal, refuse, refuseField } from './problem.ts';

/** Returns the input as the schema parses it, or a refusal that names each invalid field. */
export function validate(schema: v.GenericSchema, input: unknown): { output: unknown } | Refusal {
  const array = pointerToArray(input, schema);
  if (array !== undefined) {
    return refuseField(array, 'must not be an array');
  }
  const result = v.safeParse(schema, input);
  if (result.success) return { output: result.output };
  return refuse('invalid_request', { errors: result.issues.slice(0, MAX_ERRORS).map(fieldError) });
}

const MAX_ERRORS = 20;

/**
 * Returns the pointer to an array where the schema has none. Valibot accepts an array as an object: `{"filter": []}` would filter
 * nothing.
 */
function pointerToArray(input: unknown, schema: unknown): string | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  const { type, entries = {}, wrapped } = (schema ?? {}) as Shape;
  // An optional or nullable field.
  if (wrapped !== undefined) return pointerToArray(input, wrapped);
  if (Array.isArray(input)) return type === 'array' ? undefined : '';
  for (const [key, value] of Object.entries(input)) {
    const pointer = pointerToArray(value, Object.hasOwn(entries, key) ? entries[key] : undefined);
    if (pointer !== undefined) return `/${escaped(key)}${pointer}`;
  }
  return undefined;
}

/** The parts of a schema that tell where it has arrays. */
interface Shape {
  readonly type?: string;
  readonly entries?: Readonly<Record<string, unknown>>;
  readonly wrapped?: unknown;
}

/** RFC 6901 §3. */
const escaped = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1');

function fieldError(issue: v.BaseIssue<unknown>): FieldError {
  const keys = issue.path?.map(({ key }) => String(key)) ?? [];
  const pointer = keys.map((key) => `/${escaped(key)}`).join('');
  return { pointer, detail: detailOf(issue) };
}

/** Returns the detail in the terms of the API: valibot's own messages name types and quote the input. */
function detailOf({ type, expected, received, message }: v.BaseIssue<unknown>): string {
  if (type === 'strict_object' && expected === 'never') return 'is not a field of this request';
  if (type === 'strict_object' && received === 'undefined') return 'is required';
  return type === 'strict_object' ? 'must be an object' : message;
}
