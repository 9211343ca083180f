declare const hidden: unique symbol;

/**
 * A value that must stay secret. It is a function, so that it cannot be serialized, concatenated or logged by mistake. Its
 * type accepts no other function, and a log line does not accept it.
 */
export interface Secret<T> {
  (): T;
  readonly [hidden]: never;
}

/** Returns a secret that throws when it is read. */
export function withheldSecret(why: string): Secret<never> {
  return (() => {
    throw new Error(why);
  }) as unknown as Secret<never>;
}

export function secret<T>(value: T): Secret<T> {
  return (() => value) as Secret<T>;
}
