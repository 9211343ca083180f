import * as v from 'valibot';
import { NETWORKS } from '../network/networks.ts';

/** A variable that is missing or wrong. The message names the variable, never its value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly variable: string;

  constructor(variable: string, complaint: string) {
    super(`${variable} ${complaint}`);
    this.variable = variable;
  }
}

type Env = Readonly<Record<string, unknown>>;

/**
 * The variable, parsed. The schema's own messages must not repeat the input: they end up in logs.
 * @param where Which part of the variable it is, with a space behind it.
 */
export function parseVariable<const S extends v.GenericSchema>(
  env: Env,
  variable: string,
  schema: S,
  where = '',
): v.InferOutput<S> {
  const result = v.safeParse(schema, env[variable], { abortEarly: true });
  if (result.success) return result.output;
  const [issue] = result.issues;
  // Valibot's own messages quote what was received; those of our schemas begin with "must".
  const complaint = issue.message.startsWith('must') ? issue.message : 'must be set';
  // Of a path into the value only the name of a network is told: every other key is the operator's, and may be secret.
  const key = issue.path?.[0]?.key;
  const network = NETWORKS.find((row) => row.network === key)?.network;
  throw new ConfigError(variable, network === undefined ? `${where}${complaint}` : `(${network}) ${complaint}`);
}

/** The address of something to fetch. */
export const HttpUrl = v.pipe(
  v.string('must be a URL'),
  v.url('must be a URL'),
  v.regex(/^https?:\/\/\S+$/i, 'must be a URL that begins with http'),
);

export const OptionalUrl = v.union(
  [v.pipe(v.optional(v.string(), ''), v.literal('')), HttpUrl],
  'must be a URL that begins with http, or empty',
);

/** A variable that holds JSON; unset or empty: `{}`. What was parsed goes on into a schema. */
export const Json = v.pipe(
  v.optional(v.string(), ''),
  v.transform((text) => text || '{}'),
  v.parseJson(undefined, 'must be JSON'),
);
