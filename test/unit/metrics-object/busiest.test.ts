import { describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../../src/lib/units.ts';
import { LABELED_MAX, labeledPartners, withRequests } from '../../../src/metrics-object/busiest.ts';

const NONE = { halvedAt: 0, weights: {} };
const requests = (entries: Readonly<Record<string, number>>) => new Map(Object.entries(entries));

describe('the busiest partners', () => {
  it('are the partners with most requests, and at most a hundred', () => {
    const many = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`p${index}`, index + 1]));
    const labeled = labeledPartners(withRequests(NONE, requests(many), 0), []);
    expect(labeled).toHaveLength(LABELED_MAX);
    expect(labeled.slice(0, 2)).toEqual(['p149', 'p148']);
    expect(labeled).not.toContain('p49');
  });

  it('keep their label until another partner has twice their requests', () => {
    const many = Object.fromEntries(Array.from({ length: LABELED_MAX }, (_, index) => [`p${index}`, 10]));
    const first = withRequests(NONE, requests(many), 0);
    const labeled = labeledPartners(first, []);
    const second = withRequests(first, requests({ rival: 19 }), 0);
    expect(labeledPartners(second, labeled)).not.toContain('rival');
    expect(labeledPartners(withRequests(second, requests({ rival: 2 }), 0), labeled)).toContain('rival');
  });

  it('are those of the last hours: a request counts half as much after an hour', () => {
    const first = withRequests(NONE, requests({ early: 100 }), 0);
    const later = withRequests(first, requests({ late: 10 }), 4 * HOUR_MS + 5);
    expect(later).toEqual({ halvedAt: 4 * HOUR_MS, weights: { early: 6.25, late: 10 } });
    expect(labeledPartners(later, [])).toEqual(['late', 'early']);
    expect(withRequests(later, requests({}), 30 * HOUR_MS).weights).toEqual({});
  });

  it('are chosen among the thousand busiest, so that the memory is bounded', () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`p${index}`, index + 1]));
    expect(Object.keys(withRequests(NONE, requests(many), 0).weights)).toHaveLength(1_000);
  });

  it('do not change if the clock is set back', () => {
    const first = withRequests({ ...NONE, halvedAt: 9 * HOUR_MS }, requests({ a: 4 }), HOUR_MS);
    expect(first).toEqual({ halvedAt: 9 * HOUR_MS, weights: { a: 4 } });
  });
});
