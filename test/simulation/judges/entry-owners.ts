import { type Actor, CONSOLE } from '../world/identities.ts';
import type { Asked } from '../world/requests.ts';
import type { Entry } from '../world/trails.ts';
import type { AskedPass } from './passes-asked.ts';

/**
 * Returns the request that each entry of the audit trail belongs to. A request without an answer has no known id, and is found by its contents.
 * @param entries The entries of one pass.
 * @param asked The requests about it.
 */
export function ownersOf(entries: readonly Entry[], asked: readonly AskedPass[]): Map<Entry, AskedPass> {
  const owners = new Map<Entry, AskedPass>();
  const free = new Set(asked);
  const isRepeat = ({ action }: Entry) => action === 'pass.repeat';
  // Any request may be a repetition.
  for (const entry of entries.toSorted((a, b) => Number(isRepeat(a)) - Number(isRepeat(b)))) {
    const owner = [...free].find((each) => owns(each, entry));
    if (owner === undefined) continue;
    owners.set(entry, owner);
    free.delete(owner);
  }
  return owners;
}

function owns(each: AskedPass, entry: Entry): boolean {
  return each.status === undefined ? mayOwn(each, entry) : each.asked.requestId === entry.requestId;
}

function mayOwn({ asked, type, state, expiry, reference }: AskedPass, { action, at, actor, after }: Entry): boolean {
  if (!isActor(asked, actor) || asked.at > Date.parse(at)) return false;
  const hasExpiry = expiry === after?.expiryTimestamp;
  switch (action) {
    case 'pass.issue':
    case 'pass.renew':
      return type === 'issue' && hasExpiry;
    case 'pass.sync':
      return type === 'sync';
    case 'pass.repeat':
      return type === 'issue' || type === 'update';
    case 'pass.set_reference':
      return type === 'update' && reference !== undefined;
    case 'pass.set_expiry':
      return type === 'update' && hasExpiry;
    default:
      return type === 'update' && state === after?.state;
  }
}

/** Whether the audit trail names the sender of the request so. */
export function isActor({ client, options: { person } }: Asked, actor: Actor): boolean {
  return person === undefined
    ? actor.client === client && actor.sub === undefined
    : actor.client === CONSOLE && actor.sub === person;
}
