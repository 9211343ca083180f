import { describe, expect, it } from 'vitest';
import type { Place, Scan } from '../../../src/chain/watch-port.ts';
import {
  afterGapRead,
  afterLoss,
  afterScan,
  coveredUntil,
  type Gap,
  type History,
  NO_HISTORY,
  readableGaps,
  startsOf,
  timeBefore,
  unreadBefore,
  withUnserved,
} from '../../../src/watcher-object/places.ts';

/** The places of a watcher. Block `n` has the time `10 n`. */

type Scanned = Extract<Scan, { readonly type: 'scanned' }>;

const place = (at: number): Place => ({ at, id: `hash-${at}`, time: 10 * at });
const scanned = (at: number, more: Partial<Scanned> = {}): Scanned => ({
  type: 'scanned',
  changes: [],
  newest: place(at),
  confirmedAt: at,
  finalAt: at - 20,
  ...more,
});
const historyOf = (...scans: readonly Scanned[]): History =>
  scans.reduce((history, scan) => afterScan(history, scan, ['0x1']), NO_HISTORY);
const numbersOf = (places: readonly Place[]) => places.map(({ at }) => at);
const gap = (from: number, to: number, more: Partial<Gap> = {}): Gap => ({
  after: place(from),
  before: place(to),
  ...more,
});

describe('the first scan', () => {
  const first = scanned(100);
  const until = (passesSince: number, now: number) => {
    const unread = unreadBefore(first, passesSince, now);
    return coveredUntil(withUnserved(afterScan(NO_HISTORY, first, ['0x1']), unread, now), undefined);
  };

  it('covers its block if the watch is as old as the passes', () => {
    expect(until(990_000, 995_000)).toBe(1_000);
    expect(until(990_000, 995_001)).toBe(990);
  });

  it('covers nothing later than its block, and nothing if nobody knows the age of the passes', () => {
    expect(until(1_005_000, 1_100_000)).toBe(1_000);
    expect(until(0, 1_000_000)).toBe(0);
  });
});

describe('a scan', () => {
  it('begins at the place of the scan before the last one, so that two scans read each block', () => {
    expect(startsOf(NO_HISTORY)).toEqual([]);
    expect(numbersOf(startsOf(historyOf(scanned(100))).slice(0, 1))).toEqual([100]);
    expect(numbersOf(startsOf(historyOf(scanned(100), scanned(105), scanned(110))).slice(0, 1))).toEqual([105]);
  });

  it('begins where the endpoint before it was, if that endpoint is behind', () => {
    expect(numbersOf(startsOf(historyOf(scanned(100), scanned(95), scanned(110))).slice(0, 1))).toEqual([95]);
  });

  it('begins at a final place if its block has left the chain', () => {
    const blocks = Array.from({ length: 41 }, (_, index) => scanned(100 + index));
    const starts = numbersOf(startsOf(historyOf(...blocks)));
    expect(starts).toEqual([139, 120]);
  });

  it('begins two minutes earlier for a new contract', () => {
    const history = historyOf(...[80, 90, 100, 106, 112].map((at) => scanned(at, { finalAt: at })));
    expect(numbersOf(startsOf(history, 1_010))).toEqual([100, 90]);
    expect(numbersOf(startsOf(history, 5))).toEqual([90]);
  });

  it('forgets the places that have left the chain', () => {
    const history = historyOf(scanned(100), scanned(105), scanned(110), scanned(115));
    expect(numbersOf(afterScan(history, scanned(117), [], place(105)).places)).toEqual([100, 105, 117]);
  });

  it('keeps few places however long no block is final', () => {
    const blocks = Array.from({ length: 3_000 }, (_, index) => scanned(100 + index, { finalAt: 100 }));
    const { places } = historyOf(...blocks);
    expect(places.length).toBeLessThan(210);
    expect(numbersOf(places.slice(0, 1))).toEqual([100]);
  });
});

describe('a gap', () => {
  const left = { after: place(100), before: place(900) };

  it('is the part that a scan left, and the next scans begin behind it', () => {
    const history = historyOf(scanned(90), scanned(100), scanned(1_000, { left }));
    expect(history.gaps).toEqual([gap(100, 900)]);
    expect(numbersOf(startsOf(history).slice(0, 1))).toEqual([900]);
    expect(coveredUntil(history, undefined)).toBe(1_000);
  });

  it('shrinks as it is read, and is closed when nothing is left', () => {
    const history = historyOf(scanned(100), scanned(1_000, { left }));
    const part = scanned(899, { left: { after: place(100), before: place(400) } });
    const shrunk = afterGapRead(history, gap(100, 900), part, 0);
    expect(shrunk.gaps).toEqual([gap(100, 400)]);
    const closed = afterGapRead(shrunk, gap(100, 400), scanned(399), 0);
    expect(closed.gaps).toEqual([]);
    expect(coveredUntil(closed, undefined)).toBe(10_000);
  });

  it('is not read again if no endpoint serves it, and holds the coverage back', () => {
    const history = historyOf(scanned(100), scanned(1_000, { left }));
    const unserved = afterGapRead(history, gap(100, 900), { type: 'gone', why: 'pruned' }, 7);
    expect(unserved.gaps).toEqual([gap(100, 900, { unserved: { why: 'pruned', foundAt: 7 } })]);
    expect(readableGaps(unserved)).toEqual([]);
    expect(coveredUntil(unserved, undefined)).toBe(1_000);
  });

  it('is read from an older place if its oldest block has left the chain', () => {
    const history = historyOf(scanned(90), scanned(100), scanned(1_000, { left, finalAt: 95 }));
    expect(afterGapRead(history, gap(100, 900), { type: 'reorged' }, 0).gaps).toEqual([gap(90, 900)]);
  });

  it('changes nothing if it was closed meanwhile', () => {
    const history = historyOf(scanned(100));
    expect(afterGapRead(history, gap(10, 50), { type: 'gone', why: 'pruned' }, 0)).toBe(history);
  });

  it('remains behind a watcher that has lost all of its places', () => {
    const why = { why: 'pruned', foundAt: 7 };
    const history = afterLoss(historyOf(scanned(100), scanned(105)), scanned(500), [], why);
    expect(history.gaps).toEqual([gap(100, 500, { unserved: why })]);
    expect(numbersOf(history.places)).toEqual([500]);
    expect(coveredUntil(history, undefined)).toBe(1_000);
  });

  it('is read newest first', () => {
    const history = { ...historyOf(scanned(1_000)), gaps: [gap(100, 200), gap(500, 600), gap(300, 400)] };
    expect(readableGaps(history)).toEqual([gap(500, 600), gap(300, 400), gap(100, 200)]);
  });
});

describe('the coverage', () => {
  it('is the time of the newest place, or before the oldest change that is not decided', () => {
    expect(coveredUntil(NO_HISTORY, undefined)).toBeUndefined();
    const history = historyOf(scanned(100), scanned(110));
    expect(coveredUntil(history, undefined)).toBe(1_100);
    expect(coveredUntil(history, timeBefore(history, 105))).toBe(1_000);
    expect(timeBefore(history, 90)).toBe(1_000);
  });
});

it('two gaps that become one are not closed by a reconciliation that began before the newer one was unserved', () => {
  const found = { why: 'gone', foundAt: 1 };
  const old = gap(0, 10, { unserved: found });
  const others = Array.from({ length: 49 }, (_, index) => gap(20 + 10 * index, 25 + 10 * index));
  // The reconciliation of the first gap has begun at 1. The gap that joins it holds changes that came later.
  const history = { ...historyOf(scanned(1_000)), gaps: [old, ...others] };
  const merged = afterScan(history, scanned(1_010, { left: gap(990, 1_000) }), ['0x1']);
  const closed = merged.gaps.filter(({ unserved }) => unserved === undefined || unserved.foundAt > 1);
  expect(closed.some(({ after, before }) => after.at <= 20 && before.at >= 25)).toBe(true);
});
