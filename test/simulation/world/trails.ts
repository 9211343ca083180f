import type { Platform } from '../platform/platform.ts';
import type { Actor } from './identities.ts';

/** The audit trails of a world, as their objects store them. */

/** An entry about a pass, or about something else. */
export interface Entry {
  /** `<pass id>/<n>` of a pass: `n` counts its entries. */
  readonly key: string;
  /** RFC 3339, with milliseconds. */
  readonly at: string;
  readonly action: string;
  readonly sequence: number;
  readonly actor: Actor;
  readonly requestId?: string;
  readonly target: {
    readonly pass?: string;
    readonly chain?: { readonly network: string };
    readonly walletAddress?: string;
  };
  readonly before?: WantedState;
  readonly after?: WantedState;
}

/** The wanted state before or after a change. */
interface WantedState {
  readonly state?: string;
  readonly expiryTimestamp?: number;
  readonly client?: string;
}

/** Returns the entries of each trail, by the gatekeeper network or the name of the trail, in order. */
export function readTrails({ namespaces: { AUDITS } }: Platform): ReadonlyMap<string, readonly Entry[]> {
  return new Map(
    AUDITS.all.map(({ label, storage: { sql } }) => {
      // An object that has never answered has no table.
      const isBegun = sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'audit_entry'").toArray().length > 0;
      const rows = isBegun ? sql.exec('SELECT text FROM audit_entry ORDER BY sequence').toArray() : [];
      return [label.slice(label.indexOf('/') + 1), rows.map(({ text }) => JSON.parse(String(text)) as Entry)];
    }),
  );
}

/** Returns how many entries of passes the trails lack that the pass objects will still append. */
export function countLateEntries(platform: Platform): number {
  const made = platform.namespaces.PASSES.all.map(({ storage }) => {
    const stored = storage.kv.get('pass') as { readonly entries?: { readonly last: number } } | undefined;
    return stored?.entries?.last ?? 0;
  });
  const appended = [...readTrails(platform).values()].flat().filter(({ action }) => action.startsWith('pass.'));
  return made.reduce((sum, each) => sum + each, 0) - appended.length;
}
