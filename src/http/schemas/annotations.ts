import * as v from 'valibot';

/** What the document says beside the code that holds it. Nothing of it is looked at while requests are served. */

/** Keywords of JSON Schema 2020-12, and our own that begin with `x-`. */
export type Keywords = Readonly<Record<string, unknown>>;

/** What a field means, an example of it, and what else the document says of it. */
export function annotate<Input>(
  description: string,
  example: unknown,
  keywords: Keywords = {},
): v.MetadataAction<Input, Record<string, unknown>> {
  return v.metadata({ description, examples: [example], ...keywords });
}

/**
 * A check of our own with what it demands in JSON Schema, which nobody can read from a function: the generator refuses a
 * check without it, so that no rule is left unsaid.
 */
export function checkRule<Input>(
  holds: (input: Input) => boolean,
  message: string,
  keywords: Keywords,
): v.CheckAction<Input, string> {
  return Object.assign(v.check(holds, message), { said: keywords });
}
