import { hasVersion } from '../world/requests.ts';
import type { Entry } from '../world/trails.ts';
import { learnFrom } from './learned-changes.ts';
import type { Operation } from './linearize.ts';
import { type ModelledPass, type Outcome, outcomesOf, type PassRequest } from './pass-model.ts';
import type { AskedPass, ShownPass } from './passes-asked.ts';
import { placeOf } from './told-pass.ts';

/** The history of one pass as operations on its model. */

export interface PassOperation extends Operation<ModelledPass> {
  readonly after: PassOperation[];
  /** Tells what was seen of it. */
  readonly words: string;
}

/** A pass at the end of a world. */
export interface EndedPass {
  readonly record: ShownPass;
  /** The requests about it. */
  readonly asked: readonly AskedPass[];
  /** Its entries in the audit trail. */
  readonly entries: readonly Entry[];
}

export interface Ending {
  /** The request of each entry. */
  readonly owners: ReadonlyMap<Entry, AskedPass>;
  /** Whether the service may lack the key that issued the token. */
  readonly mayBeForeign: boolean;
  /** Unix milliseconds. */
  readonly now: number;
}

/** Returns the requests about a pass, the changes that its record has learned from the chain, and its record at the end. */
export function operationsOf(
  { record, asked, entries }: EndedPass,
  { owners, mayBeForeign, now }: Ending,
): PassOperation[] {
  const entryOf = new Map([...owners].map(([entry, owner]) => [owner, entry]));
  const requests = new Map<AskedPass, PassOperation>();
  const later: PassOperation[] = [];
  for (const each of asked) {
    // A request that waits shows the pass as it is in the end.
    const { waits } = each.type === 'fetch' ? {} : each.asked.options;
    const operation = requestOf(waits ? { ...each, record: undefined } : each, entryOf.get(each), mayBeForeign);
    if (operation === undefined) continue;
    requests.set(each, operation);
    if (waits && each.record)
      later.push({ ...shownAt(each.record, operation.from, each.asked.answeredAt ?? now), after: [operation] });
  }
  // The number of an entry says which came first.
  const numbered = entries.toSorted((a, b) => numberOf(a) - numberOf(b)).map((entry) => owners.get(entry));
  const changes = numbered.flatMap((owner) => (owner && requests.get(owner)) ?? []);
  for (const [index, operation] of changes.entries())
    if (index > 0) operation.after.push(...changes.slice(index - 1, index));
  for (const [each, operation] of requests) {
    const { after } = each.asked.options;
    const seen = after && hasVersion(after) ? asked.find((other) => other.asked === after) : undefined;
    const shown = seen && requests.get(seen);
    // "The response is at least as new as the one that carried" the bookmark.
    if (shown) operation.after.push(shown);
  }
  return [...requests.values(), ...later, ...learnedBy(record), shownAt(record, now, now)];
}

/** Somebody has seen the record at some time between the two. */
const shownAt = (record: ShownPass, from: number, until: number): PassOperation => ({
  ...{ from, until, place: placeOf(record), after: [], words: `shown ${wordsOf(record)}` },
  outcomes: (pass) => (shows(record, pass) ? [pass] : []),
});

const numberOf = ({ key }: Entry): number => Number(key.slice(key.lastIndexOf('/') + 1));

const wordsOf = ({ state, onChainState, expiryTimestamp = 0, events }: ShownPass): string =>
  `${state} ${onChainState} ${expiryTimestamp} with ${events.length} events`;

/** Each event has its second, and its place among the others. */
function learnedBy(record: ShownPass): PassOperation[] {
  const mayReturn = record.events.some(({ eventType }) => eventType.endsWith('_REORGED'));
  return record.events.flatMap((event, index): PassOperation[] => {
    const outcomes = learnFrom(event, mayReturn);
    if (outcomes === undefined) return [];
    const from = event.timestamp * 1_000;
    const place = placeOf(record) === undefined ? undefined : index + 0.5;
    return [{ from, until: from + 999, place, after: [], outcomes, words: event.eventType }];
  });
}

/** The refusals that depend on the pass. */
const DECIDED = [
  ...['invalid_request', 'pass_not_found', 'pass_frozen', 'pass_revoked', 'pass_rejected', 'pass_expired'],
  ...['expiry_differs', 'reference_differs', 'issued_by_another_gatekeeper'],
];

/** Returns the operation of a request; undefined: it did not reach the pass, as the audit trail says too. */
function requestOf(each: AskedPass, entry: Entry | undefined, mayBeForeign: boolean): PassOperation | undefined {
  const { asked, type, status = 500, record, code = '', state, expiry, reference } = each;
  const isAccepted = status < 300 || (status >= 500 && entry !== undefined);
  if (!isAccepted && !DECIDED.includes(code) && entry === undefined) return undefined;
  const { client, at, answeredAt = Number.POSITIVE_INFINITY } = asked;
  const seconds = [Math.floor(at / 1_000), Math.floor(answeredAt / 1_000)] as const;
  const isBulk = asked.path === '/passes';
  const request: PassRequest = { type, client, isBulk, state, expiry, reference, seconds, mayBeForeign };
  // An entry has the time of the change. A fetch without a bookmark may show an older record.
  const time = entry && Date.parse(entry.at);
  const begun = type === 'fetch' && record !== undefined ? 0 : at;
  const isInTime = time === undefined || (time >= at && (time <= answeredAt || status >= 500));
  const isPossible = (pass: ModelledPass, outcome: Outcome) =>
    isAccepted ? isTold(each, entry, pass, outcome) : outcome.refusal === code && entry === undefined;
  const shown = record ? wordsOf(record) : code;
  return {
    ...{ from: time ?? begun, until: time ?? answeredAt, place: record && placeOf(record), after: [] },
    words: [client, type, state, expiry, status, shown].filter((each) => each !== undefined).join(' '),
    outcomes: (pass) =>
      isInTime
        ? outcomesOf(pass, request)
            .filter((outcome) => isPossible(pass, outcome))
            .map(({ next }) => next)
        : [],
  };
}

/** Whether the answer to an accepted request, and its entry, tell of that outcome. */
function isTold(
  { type, record }: AskedPass,
  entry: Entry | undefined,
  before: ModelledPass,
  outcome: Outcome,
): boolean {
  const { next, refusal, isEntered } = outcome;
  if (refusal !== undefined || (isEntered !== undefined && isEntered !== (entry !== undefined))) return false;
  if (record !== undefined && !shows(record, next)) return false;
  // An entry of a sync has the state of the chain too.
  return entry === undefined || type === 'sync' || (isWanted(entry.before, before) && isWanted(entry.after, next));
}

/** Whether a record shows the pass. */
function shows({ state, onChainState, expiryTimestamp, reference }: ShownPass, pass: ModelledPass): boolean {
  const isRequested = pass.state === 'ACTIVE' && onChainState === 'NONE';
  return (
    state === (isRequested ? 'REQUESTED' : pass.state) &&
    hasExpiry(pass, expiryTimestamp) &&
    reference === pass.reference
  );
}

/** A revocation replaces the expiry with that of the chain. */
const hasExpiry = ({ state, expiry }: ModelledPass, shown: number | undefined): boolean =>
  state === 'REVOKED' || expiry === 'any' || shown === expiry;

/** Whether an entry names the pass before or after a change. */
function isWanted(wanted: Entry['before'], pass: ModelledPass): boolean {
  if (wanted === undefined) return pass.state === 'NONE';
  const state = pass.state === 'REJECTED' ? 'ACTIVE' : pass.state;
  return wanted.state === state && wanted.client === pass.client && hasExpiry(pass, wanted.expiryTimestamp);
}
