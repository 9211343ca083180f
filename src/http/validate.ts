import * as v from 'valibot';
import { type FieldError, type Refusal, refuse } from './problem.ts';

/** The input in the form of the schema, or what is wrong with each of its fields. */
export function validate(schema: v.GenericSchema, input: unknown): { output: unknown } | Refusal {
  const result = v.safeParse(schema, input);
  if (result.success) return { output: result.output };
  return refuse('invalid_request', { errors: result.issues.slice(0, MAX_ERRORS).map(fieldError) });
}

const MAX_ERRORS = 20;

function fieldError(issue: v.BaseIssue<unknown>): FieldError {
  const keys = issue.path?.map(({ key }) => String(key)) ?? [];
  const pointer = keys.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  return { pointer, detail: detailOf(issue) };
}

/** In words of this interface: valibot's own messages speak of types and quote the input. */
function detailOf({ type, expected, received, message }: v.BaseIssue<unknown>): string {
  if (type === 'strict_object' && expected === 'never') return 'is not a field of this request';
  if (type === 'strict_object' && received === 'undefined') return 'is required';
  return type === 'strict_object' ? 'must be an object' : message;
}
