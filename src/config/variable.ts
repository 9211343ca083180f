import * as v from 'valibot';
import { NETWORKS } from '../network/networks.ts';

/** A missing or invalid variable. The message names the variable, never its value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly variable: string;
  /** All variables that are missing or invalid. */
  readonly variables: readonly string[];

  constructor(variable: string, complaint: string, variables: readonly string[] = variable.split(' and ')) {
    super(`${variable} ${complaint}`);
    this.variable = variable;
    this.variables = variables;
  }
}

/**
 * Runs all parts, which do not depend on each other, and returns their results. Throws one ConfigError that names every missing or
 * invalid variable, so that the operator need not find them one after the other.
 */
export function parseAll<P extends Readonly<Record<string, () => unknown>>>(
  parts: P,
): { readonly [Name in keyof P]: ReturnType<P[Name]> } {
  const faults: ConfigError[] = [];
  const results = Object.entries(parts).map(([name, parse]) => {
    try {
      return [name, parse()];
    } catch (fault) {
      if (!(fault instanceof ConfigError)) throw fault;
      faults.push(fault);
      return [name, undefined];
    }
  });
  const [first, ...others] = faults;
  if (first === undefined) return Object.fromEntries(results);
  if (others.length === 0) throw first;
  const messages = [...new Set(faults.map(({ message }) => message))];
  const variables = new Set(faults.flatMap((fault) => fault.variables));
  throw new ConfigError(first.variable, messages.join('; ').slice(first.variable.length + 1), [...variables]);
}

type Env = Readonly<Record<string, unknown>>;

/**
 * Returns the parsed variable. The schema's messages must not repeat the input, because they appear in logs.
 * @param where The part of the variable that the value comes from, followed by a space.
 */
export function parseVariable<const S extends v.GenericSchema>(
  env: Env,
  variable: string,
  schema: S,
  where = '',
): v.InferOutput<S> {
  // Valibot's own messages would quote the input.
  const result = v.safeParse(schema, env[variable], { abortEarly: true, message: 'must be set' });
  if (result.success) return result.output;
  const [issue] = result.issues;
  // The message names a key of the value only if it is a network: any other key is the operator's text and may be secret.
  const key = issue.path?.[0]?.key;
  const network = NETWORKS.find((row) => row.network === key)?.network;
  throw new ConfigError(variable, network === undefined ? `${where}${issue.message}` : `(${network}) ${issue.message}`);
}

interface Bounds {
  readonly minimum: number;
  readonly maximum: number;
  /** The end of a sentence that begins with the variable. It must begin with "must". */
  readonly rule: string;
  /** Whether it may have decimals. */
  readonly isShare?: true;
}

/** Returns an optional number: `usual` if the variable is unset or empty. */
export function parseNumber(env: Env, variable: string, usual: number, bounds: Bounds): number {
  const { minimum, maximum, rule, isShare } = bounds;
  const schema = v.pipe(
    v.optional(v.string(rule), ''),
    v.regex(isShare ? /^(|\d|0\.\d{1,6})$/ : /^(|0|[1-9]\d{0,14})$/, rule),
    v.transform((text) => (text === '' ? usual : Number(text))),
    v.minValue(minimum, rule),
    v.maxValue(maximum, rule),
  );
  return parseVariable(env, variable, schema);
}

/** A list of texts that are separated by white space. An unset variable is empty. */
export const listOf = (isItem: (text: string) => boolean, rule: string) =>
  v.pipe(
    v.optional(v.string(rule), ''),
    v.transform((text) => text.split(/\s+/).filter(Boolean)),
    v.array(v.pipe(v.string(), v.check(isItem, rule))),
  );

export const HttpUrl = v.pipe(
  v.string('must be a URL'),
  v.url('must be a URL'),
  v.regex(/^https?:\/\/\S+$/i, 'must be a URL that begins with http: or https:'),
);

export const OptionalUrl = v.union(
  [v.pipe(v.optional(v.string(), ''), v.literal('')), HttpUrl],
  'must be empty, or a URL that begins with http: or https:',
);

/** Parses a variable of JSON for the schema that follows. An unset or empty variable is `{}`. */
export const Json = v.pipe(
  v.optional(v.string(), ''),
  v.transform((text) => text || '{}'),
  v.parseJson(undefined, 'must be JSON'),
);
