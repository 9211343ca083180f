import type { GenericSchema } from 'valibot';
import { expect } from 'vitest';

/** What the document says of fields beside their types holds for answers too, though no schema checks it. */

interface Looked {
  readonly type: string;
  readonly pipe?: readonly { readonly type: string; readonly metadata?: Readonly<Record<string, unknown>> }[];
  readonly entries?: Readonly<Record<string, Looked>>;
  readonly item?: Looked;
  readonly wrapped?: Looked;
  readonly options?: readonly Looked[];
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function expectSaid(schema: GenericSchema, value: unknown, where: string): void {
  look(schema as unknown as Looked, value, where);
}

function look({ pipe = [], entries, item, wrapped, options, type }: Looked, value: unknown, where: string): void {
  if (value === undefined || value === null) return;
  for (const { metadata = {} } of pipe) {
    const words = metadata['x-extensible-enum'] as readonly unknown[] | undefined;
    if (words !== undefined) expect(words, `${where}: a word that the document lists`).toContain(value);
    if (metadata.pattern !== undefined) expect(value, where).toMatch(new RegExp(String(metadata.pattern)));
    if (metadata.format === 'uuid') expect(value, where).toMatch(UUID);
    if (metadata.format === 'uri') expect(URL.canParse(String(value)), `${where}: ${value}`).toBe(true);
    if (metadata.minLength !== undefined) expect(String(value).length, where).toBeGreaterThan(0);
  }
  if (wrapped !== undefined) look(wrapped, value, where);
  if (type === 'intersect') for (const option of options ?? []) look(option, value, where);
  if (item !== undefined) for (const [at, each] of (value as unknown[]).entries()) look(item, each, `${where}/${at}`);
  for (const [name, entry] of Object.entries(entries ?? {})) {
    look(entry, (value as Record<string, unknown>)[name], `${where}/${name}`);
  }
}
