declare const hidden: unique symbol;

/**
 * A value that must not show: as a function it cannot be serialized, concatenated or logged by mistake. No other function
 * passes for one, and none of them for anything that a log line takes.
 */
export interface Secret<T> {
  (): T;
  readonly [hidden]: never;
}

/** A secret that throws when it is asked for. */
export function withheldSecret(why: string): Secret<never> {
  return (() => {
    throw new Error(why);
  }) as unknown as Secret<never>;
}

export function secret<T>(value: T): Secret<T> {
  return (() => value) as Secret<T>;
}
