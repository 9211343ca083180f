import { ANNOTATIONS, CHECKS } from '../../src/http/schemas/annotations.ts';
import type { Keywords } from '../../src/http/schemas/fields.ts';
import type { Json } from './json.ts';

/** Paths and checks that the generator has used. */
const used = new Set<unknown>();

/**
 * Returns a request schema with its annotations and those of its fields.
 * @param path Name of the schema, then the names of fields, each after a slash.
 */
export function annotate(json: Json, path: string, annotations = ANNOTATIONS): Json {
  // The referenced schema has its own annotations.
  if ('$ref' in json) return json;
  const annotation = annotations[path];
  if (annotation === undefined) throw new Error(`${path} has no entry in ANNOTATIONS: add one`);
  used.add(path);
  const { default: byDefault, ...keywords } = json;
  return {
    ...keywords,
    ...annotateProperties(json, path, annotations),
    ...annotation,
    ...(byDefault !== undefined && { default: byDefault }),
  };
}

function annotateProperties({ properties }: Json, path: string, annotations: typeof ANNOTATIONS): Json {
  if (properties === undefined) return {};
  const fields = Object.entries(properties as Record<string, Json>).map(([name, field]) => {
    return [name, annotate(field, `${path}/${name}`, annotations)];
  });
  return { properties: Object.fromEntries(fields) };
}

/** Returns the JSON Schema keywords of a check; undefined for a check without an entry, which the conversion then refuses. */
export function findCheckKeywords(check: object): Keywords | undefined {
  const requirement = 'requirement' in check ? check.requirement : undefined;
  if (CHECKS.has(requirement)) used.add(requirement);
  return CHECKS.get(requirement);
}

const ENTRIES: readonly unknown[] = [...Object.keys(ANNOTATIONS), ...CHECKS.keys()];

/** Throws if an entry of ANNOTATIONS or CHECKS describes nothing in the document. */
export function assertAllUsed(entries = ENTRIES): void {
  const unused = entries.filter((entry) => !used.has(entry));
  if (unused.length > 0) throw new Error(`remove the unused entries in ANNOTATIONS or CHECKS: ${unused.join(', ')}`);
}
