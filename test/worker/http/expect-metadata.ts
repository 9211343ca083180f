import type { GenericSchema } from 'valibot';
import { expect } from 'vitest';

interface Schema {
  readonly type: string;
  readonly pipe?: readonly { readonly type: string; readonly metadata?: Readonly<Record<string, unknown>> }[];
  readonly entries?: Readonly<Record<string, Schema>>;
  readonly item?: Schema;
  readonly wrapped?: Schema;
  readonly options?: readonly Schema[];
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Checks a value against the values, patterns and formats of the document. Parsing with the schema does not check
 * these.
 */
export function expectMetadata(schema: GenericSchema, value: unknown, where: string): void {
  checkField(schema as unknown as Schema, value, where);
}

function checkField({ pipe = [], entries, item, wrapped, options, type }: Schema, value: unknown, where: string): void {
  if (value === undefined || value === null) return;
  for (const { metadata = {} } of pipe) {
    const words = metadata['x-extensible-enum'] as readonly unknown[] | undefined;
    if (words !== undefined) expect(words, `${where}: a word that the document lists`).toContain(value);
    if (metadata.pattern !== undefined) expect(value, where).toMatch(new RegExp(String(metadata.pattern)));
    if (metadata.format === 'uuid') expect(value, where).toMatch(UUID);
    if (metadata.format === 'uri') expect(URL.canParse(String(value)), `${where}: ${value}`).toBe(true);
    if (metadata.minLength !== undefined) expect(String(value).length, where).toBeGreaterThan(0);
  }
  if (wrapped !== undefined) checkField(wrapped, value, where);
  if (type === 'intersect') for (const option of options ?? []) checkField(option, value, where);
  if (item !== undefined)
    for (const [at, each] of (value as unknown[]).entries()) checkField(item, each, `${where}/${at}`);
  for (const [name, entry] of Object.entries(entries ?? {})) {
    checkField(entry, (value as Record<string, unknown>)[name], `${where}/${name}`);
  }
}
