import type { Place, Scan, Span } from '../chain/watch-port.ts';
import { type Milliseconds, SECOND_MS, type UnixSeconds } from '../lib/units.ts';

/** The part of a network's history that a watcher has read. Pure. */
export interface History {
  /** The newest place of each scan, in the order of the scans. Older ones lead back to a final block. */
  readonly places: readonly Place[];
  /** The parts that it has not read yet. */
  readonly gaps: readonly Gap[];
  /** The newest block (Solana: slot) that counts as confirmed, and the newest final one, as of the last scan. */
  readonly confirmedAt: number;
  readonly finalAt: number;
  /** Number of scans so far. Each one begins with another endpoint. */
  readonly turn: number;
  /** The contracts of the last scan. */
  readonly contracts: readonly string[];
}

/** A span that the watcher has not read. */
export interface Gap extends Span {
  readonly after: Place;
  readonly before: Place;
  /** Present if no endpoint serves it. Then the reconciliation reads the passes of the network instead. */
  readonly unserved?: { readonly why: string; readonly foundAt: Milliseconds } | undefined;
}

/** A span that no endpoint serves. */
interface Unserved extends Pick<Gap, 'after' | 'before'> {
  readonly why: string;
}

/** Returns what no endpoint serves of a scanned span. */
export function unservedIn(scan: Scan): Unserved[] {
  if (scan.type !== 'scanned' || scan.unserved === undefined) return [];
  const { span, why } = scan.unserved;
  return span.after && span.before ? [{ after: span.after, before: span.before, why }] : [];
}

export const NO_HISTORY: History = { places: [], gaps: [], confirmedAt: 0, finalAt: 0, turn: 0, contracts: [] };

/** Places of the last three minutes stay, because the first scan of a new contract begins two minutes ago. */
const KEPT_SECONDS = 180;
/** Beyond this number, every second place between the oldest and the newest is dropped. */
const PLACES_MAX = 200;
/** Beyond this number, the two oldest gaps become one. */
const GAPS_MAX = 50;

type Scanned = Extract<Scan, { readonly type: 'scanned' }>;

/**
 * Returns the places from which a scan may begin, the best one first. That is the place of the scan before the last one, so that two
 * scans read each block. If its block has left the chain, the scan begins at a final one: a change that ended because of a later one
 * must be seen again if that later one has left the chain.
 * @param since A time from which the scan must read, because a contract is new.
 */
export function startsOf({ places, finalAt }: History, since?: UnixSeconds): Place[] {
  const last = places.at(-2) ?? places.at(-1);
  if (last === undefined) return [];
  const older = places.filter(({ at }) => at <= last.at).toSorted((a, b) => b.at - a.at);
  const newest = since === undefined ? 0 : older.findIndex(({ time }) => time <= since);
  const from = newest < 0 ? older.slice(-1) : older.slice(newest);
  const starts = [...from.slice(0, 1), ...from.filter(({ at }) => at <= finalAt).slice(0, 1), ...from.slice(-1)];
  return [...new Map(starts.map((place) => [`${place.at} ${place.id}`, place])).values()];
}

/**
 * Returns the history after a scan up to the newest block.
 * @param start The place that it began from, if all later ones have left the chain.
 */
export function afterScan(history: History, scan: Scanned, contracts: readonly string[], start?: Place): History {
  const { newest, confirmedAt, finalAt, left } = scan;
  const gap = left?.after && left.before ? [{ after: left.after, before: left.before }] : [];
  // The next scan begins at the end of the gap, and so does not read the gap.
  const scanned = [...gap.map(({ before }) => before), newest];
  const { places, gaps } = start === undefined ? history : upTo(history, start);
  return {
    places: prune([...places, ...scanned], finalAt),
    gaps: mergeGaps([...gaps, ...gap]),
    confirmedAt,
    finalAt,
    turn: history.turn + 1,
    contracts,
  };
}

/** Returns the places and gaps without what has left the chain. The scan from `start` reads the rest. */
function upTo({ places, gaps }: History, start: Place): Pick<History, 'places' | 'gaps'> {
  return {
    places: places.filter(({ at, id }) => at < start.at || id === start.id),
    gaps: gaps
      .filter(({ after }) => after.at < start.at)
      .map((gap) => (gap.before.at > start.at ? { ...gap, before: start } : gap)),
  };
}

/**
 * The first scan follows the beginning at once. Others would have to change the first pass of the network within this time to be missed, and
 * then only until the nightly reconciliation.
 */
const FIRST_SCAN_MS = 5 * SECOND_MS;

/**
 * Returns what the first scan of a watch leaves unread: it reads the newest block only.
 * @param passesSince No pass of the network is older (ms).
 */
export function unreadBefore({ newest }: Scanned, passesSince: Milliseconds, now: Milliseconds): Unserved[] {
  if (now - passesSince <= FIRST_SCAN_MS) return [];
  const time = Math.min(newest.time, Math.floor(passesSince / SECOND_MS));
  return [
    { after: { ...newest, at: newest.at - 2, time }, before: newest, why: 'the watch began later than the passes' },
  ];
}

/**
 * Returns the history with further spans that no endpoint serves. As long as such a span is not final, it counts as found now: a
 * reconciliation that began before reads too old a state.
 */
export function withUnserved(history: History, spans: readonly Unserved[], now: Milliseconds): History {
  const { gaps, finalAt } = history;
  const added = spans
    .map(({ after, before, why }): Gap => ({ after, before, unserved: { why, foundAt: now } }))
    .filter((gap) => !gaps.some((known) => isSame(known, gap)));
  const all = [...gaps, ...added].map((gap) =>
    gap.unserved && !isFinal(gap, finalAt) ? { ...gap, unserved: { ...gap.unserved, foundAt: now } } : gap,
  );
  return { ...history, gaps: mergeGaps(all) };
}

/** Whether all blocks of a gap are final. */
export const isFinal = ({ before }: Gap, finalAt: number): boolean => before.at <= finalAt + 1;

/** Returns the history that begins again at the newest place, with a gap behind it. */
export function afterLoss(
  history: History,
  scan: Scanned,
  contracts: readonly string[],
  unserved: Gap['unserved'],
): History {
  const after = history.places.toSorted((a, b) => a.at - b.at)[0];
  const lost = after ? [{ after, before: scan.newest, unserved }] : [];
  const { gaps } = history;
  return afterScan({ ...history, places: [], gaps: mergeGaps([...gaps, ...lost]) }, scan, contracts);
}

/** Returns the history after a try to read a gap. */
export function afterGapRead(history: History, gap: Gap, scan: Scan, now: Milliseconds): History {
  const others = history.gaps.filter((each) => !isSame(each, gap));
  if (others.length === history.gaps.length) return history;
  return { ...history, gaps: mergeGaps([...others, ...remainderOf(history, gap, scan, now)]) };
}

function remainderOf({ places }: History, gap: Gap, scan: Scan, now: Milliseconds): Gap[] {
  const unserved = (why: string) => [{ ...gap, unserved: { why, foundAt: now } }];
  switch (scan.type) {
    case 'scanned':
      return scan.left?.after && scan.left.before ? [{ after: scan.left.after, before: scan.left.before }] : [];
    case 'gone':
      return unserved(scan.why);
    case 'reorged': {
      const older = places.filter(({ at }) => at < gap.after.at).toSorted((a, b) => b.at - a.at)[0];
      return older === undefined ? unserved('its oldest block has left the chain') : [{ ...gap, after: older }];
    }
  }
}

export const isSame = (a: Gap, b: Gap): boolean => a.after.at === b.after.at && a.before.at === b.before.at;

/** Returns the gaps that an endpoint may serve, the newest first. */
export function readableGaps({ gaps }: History): Gap[] {
  return gaps.filter(({ unserved }) => unserved === undefined).toSorted((a, b) => b.before.at - a.before.at);
}

/**
 * Returns the time up to which the watcher knows the chain; undefined: it knows nothing yet. It is that of the last scan, because an
 * earlier one may have read blocks that never were on the chain.
 * @param undecided The time before the oldest change that is not decided.
 */
export function coveredUntil(history: History, undecided: UnixSeconds | undefined): UnixSeconds | undefined {
  const newest = history.places.at(-1)?.time;
  if (newest === undefined) return undefined;
  return Math.min(newest, undecided ?? newest, ...history.gaps.map(({ after }) => after.time));
}

/** Returns the time of the newest known place before a block. */
export function timeBefore({ places, gaps }: History, at: number): UnixSeconds {
  const all = [...places, ...gaps.flatMap(({ after, before }) => [after, before])];
  const before = all.filter((place) => place.at < at).map(({ time }) => time);
  return before.length === 0 ? Math.min(...all.map(({ time }) => time)) : Math.max(...before);
}

/** Returns the last two places, and the older ones back to a block that is final and some minutes old. */
function prune(places: readonly Place[], finalAt: number): Place[] {
  const [recent, older] = [places.slice(-2), places.slice(0, -2)];
  const newTime = Math.max(...places.map(({ time }) => time)) - KEPT_SECONDS;
  const isBase = ({ at, time }: Place) => at <= finalAt && time < newTime;
  const base = older.filter(isBase).toSorted((a, b) => b.at - a.at)[0];
  const loose = older.filter((place) => !isBase(place));
  const kept = [
    ...new Map([...(base ? [base] : []), ...loose].map((each) => [`${each.at} ${each.id}`, each])).values(),
  ];
  const thinned = kept.length > PLACES_MAX ? kept.filter((_, index) => index === 0 || index % 2 === 1) : kept;
  return [...thinned, ...recent];
}

function mergeGaps(gaps: readonly Gap[]): Gap[] {
  const sorted = gaps
    .filter(({ after, before }) => before.at - after.at > 1)
    .toSorted((a, b) => a.after.at - b.after.at);
  const [first, second, ...others] = sorted;
  if (sorted.length <= GAPS_MAX || first === undefined || second === undefined) return sorted;
  const last = first.before.at > second.before.at ? first.before : second.before;
  // The reconciliation must begin after both were found. A part that an endpoint may serve is tried again.
  const unserved = first.unserved &&
    second.unserved && {
      why: second.unserved.why,
      foundAt: Math.max(first.unserved.foundAt, second.unserved.foundAt),
    };
  return [{ after: first.after, before: last, unserved }, ...others];
}
