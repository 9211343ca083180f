/** A value that must not show: as a function it cannot be serialized, concatenated or logged by mistake. */
export type Secret<T> = () => T;

export function secret<T>(value: T): Secret<T> {
  return () => value;
}
