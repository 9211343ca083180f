import { createHash } from 'node:crypto';

/** The actor: an OAuth client and, if a person signed in to the console, the `sub` of that person. */
export interface Actor {
  readonly client: string;
  readonly sub?: string | undefined;
}

/** A change that somebody requested. It contains no secret, no token, and of a person only the `sub`. */
export interface AuditEntry {
  /** The item that changed, and which of its changes this is. Unique in its trail. */
  readonly key: string;
  /** When the change was stored (RFC 3339). */
  readonly at: string;
  /** For example `pass.freeze` or `operator.withdraw`. */
  readonly action: string;
  readonly actor: Actor;
  readonly requestId?: string | undefined;
  /** The items that the action concerns. */
  readonly target: object;
  readonly before?: object | undefined;
  readonly after?: object | undefined;
  /** The reason that the actor gave. */
  readonly reason?: string | undefined;
  readonly outcome: AuditOutcome;
}

export type AuditOutcome =
  | { readonly type: 'done'; readonly counts?: object | undefined }
  /** The action waits for a second person, who decides about the approval with that id. */
  | { readonly type: 'waits'; readonly approval: string }
  /** The action waited until its time was over. */
  | { readonly type: 'expired' }
  /** All of the action may have happened, a part, or nothing. `why`: the name of a fault; undefined: the service stopped before the end. */
  | { readonly type: 'unknown'; readonly why?: string };

/** An entry at its place in a trail. */
export interface ChainedEntry {
  /** JSON: the sequence, the hash of the entry before it, and the fields of the entry, in this order. */
  readonly text: string;
  /** SHA-256 of the text, in hex. */
  readonly hash: string;
}

/** A place in a trail: after the entry with that sequence. */
export interface TrailPlace {
  readonly sequence: number;
  readonly hash: string;
}

/** The place before the first entry of a trail. */
export const TRAIL_START: TrailPlace = { sequence: 0, hash: '' };

/** The trail of the operator's actions. The other trails have the names of gatekeeper networks. */
export const OPERATOR_TRAIL = 'operator';

/** Returns the entry at the place after `previous`. */
export function chainEntry(previous: TrailPlace, entry: AuditEntry): ChainedEntry & TrailPlace {
  const sequence = previous.sequence + 1;
  const text = JSON.stringify({ sequence, previous: previous.hash, ...entry });
  return { sequence, text, hash: hashOf(text) };
}

/** The target, both states and the counts of an entry have about this many characters, so that an entry has about 4 kB. */
const PART_MAX_CHARS = 1_000;
const FIELD_MAX_CHARS = 150;

/** Returns a part of an entry. If it is too long, each long field becomes its length and the SHA-256 of its JSON. */
export function boundedPart<T extends object | undefined>(part: T): T | object {
  if (part === undefined || JSON.stringify(part).length <= PART_MAX_CHARS) return part;
  const fields = Object.entries(part).map(([name, value]) => {
    const json = JSON.stringify(value) ?? '';
    if (json.length <= FIELD_MAX_CHARS) return [name, value];
    return [name, { length: Array.isArray(value) ? value.length : json.length, sha256: hashOf(json) }];
  });
  return Object.fromEntries(fields);
}

export const hashOf = (text: string): string =>
  createHash('sha256').update(new TextEncoder().encode(text)).digest('hex');
