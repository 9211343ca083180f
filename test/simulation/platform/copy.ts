/** The treatment of an instance of a class: storage keeps its properties, and a call refuses it. */
export type Instances = 'as objects' | 'refused';

/** Deeper values may be circular. */
const DEPTH_MAX = 50;

/**
 * Returns a copy of a value as another object, or a later event, gets it. Throws a DataCloneError. Plain data, which is nearly everything,
 * is copied here, because `structuredClone` takes several times as long.
 */
export function copyOf(value: unknown, instances: Instances, depth = 0): unknown {
  if (typeof value !== 'object' || value === null)
    return typeof value === 'function' || typeof value === 'symbol' ? structuredClone(value) : value;
  if (depth > DEPTH_MAX) return structuredClone(value);
  if (Array.isArray(value)) return value.map((each) => copyOf(each, instances, depth + 1));
  const prototype = Object.getPrototypeOf(value);
  if (prototype === Object.prototype) return copyOfObject(value, instances, depth);
  if (value instanceof Map)
    return new Map(
      [...value].map(([key, each]) => [copyOf(key, instances, depth + 1), copyOf(each, instances, depth + 1)]),
    );
  if (value instanceof Set) return new Set([...value].map((each) => copyOf(each, instances, depth + 1)));
  if (isOfPlatform(value)) return structuredClone(value);
  if (instances === 'as objects') return copyOfObject(value, instances, depth);
  const name = value.constructor?.name ?? 'Object';
  throw new DOMException(
    `Could not serialize object of type "${name}". This type does not support serialization.`,
    'DataCloneError',
  );
}

function copyOfObject(value: object, instances: Instances, depth: number): object {
  const copy: Record<string, unknown> = {};
  for (const [name, each] of Object.entries(value)) copy[name] = copyOf(each, instances, depth + 1);
  return copy;
}

/** Whether `structuredClone` knows the type, or refuses it. */
function isOfPlatform(value: object): boolean {
  return (
    value instanceof Date ||
    value instanceof Error ||
    value instanceof RegExp ||
    value instanceof ArrayBuffer ||
    ArrayBuffer.isView(value) ||
    value instanceof Promise ||
    value instanceof WeakMap ||
    value instanceof WeakSet
  );
}
