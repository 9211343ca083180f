import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { describe, expect, it } from 'vitest';
import { parseHead, type ShownEntry, TrailVerifier } from '../../../ops/audit/verify-trail.ts';
import { hashOf, type TrailPlace } from '../../../src/audit/entry.ts';
import { DAY_MS } from '../../../src/lib/units.ts';
import { anEntry, aTrail } from './a-trail.ts';

type Trail = ReturnType<typeof aTrail>;
type Row = { sequence: number; key: string; text: string; hash: string; appended_ms: number };

const LENGTH = 12;

async function aFilledTrail(): Promise<Trail> {
  const trail = aTrail();
  await trail.append(Array.from({ length: LENGTH }, (_, n) => anEntry({ reason: `case ${n + 1}` })));
  return trail;
}

/** A trail whose first entries are deleted by retention. */
async function anOldTrail(): Promise<Trail> {
  const trail = await aFilledTrail();
  await runInDurableObject(trail, (_, { storage }) => {
    storage.sql.exec('UPDATE audit_entry SET appended_ms = appended_ms - ? WHERE sequence <= 5', 500 * DAY_MS);
  });
  await runDurableObjectAlarm(trail);
  return trail;
}

/** Verifies as the command does, in pages. */
async function verify(trail: Trail, heads: readonly TrailPlace[] = [], limit = 5): Promise<readonly string[]> {
  const verifier = new TrailVerifier(heads);
  let page = await trail.read({ limit });
  for (;;) {
    const entries = page.entries.map(
      ({ text, hash }): ShownEntry => JSON.parse(`${text.slice(0, -1)},"hash":"${hash}"}`),
    );
    verifier.add({ ...page, entries });
    if (!page.more) return verifier.finish();
    page = await trail.read({ limit, after: page.next });
  }
}

/** Changes the storage as somebody who can write it. */
const tamper = (trail: Trail, change: (sql: SqlStorage, rows: Row[], storage: DurableObjectStorage) => void) =>
  runInDurableObject(trail, (_, { storage }) => {
    change(storage.sql, storage.sql.exec<Row>('SELECT * FROM audit_entry ORDER BY sequence').toArray(), storage);
  });

const setText = (sql: SqlStorage, sequence: number, text: string, hash?: string) =>
  sql.exec(
    'UPDATE audit_entry SET text = ?, hash = coalesce(?, hash) WHERE sequence = ?',
    text,
    hash ?? null,
    sequence,
  );

function edit(sql: SqlStorage, rows: Row[], sequence: number, change: object, keepsHash = false): void {
  const row = rows.find((each) => each.sequence === sequence) as Row;
  const text = JSON.stringify({ ...JSON.parse(row.text), ...change });
  setText(sql, sequence, text, keepsHash ? undefined : hashOf(text));
}

const remove = (sql: SqlStorage, from: number, to = from) =>
  sql.exec('DELETE FROM audit_entry WHERE sequence BETWEEN ? AND ?', from, to);

/** Computes all hashes again from an entry on, as somebody who knows the code. */
function chainAgain(sql: SqlStorage, rows: Row[], from: number, change: object): void {
  let previous = rows.find(({ sequence }) => sequence === from - 1)?.hash ?? '';
  for (const row of rows.filter(({ sequence }) => sequence >= from)) {
    const text = JSON.stringify({ ...JSON.parse(row.text), ...(row.sequence === from && change), previous });
    previous = hashOf(text);
    setText(sql, row.sequence, text, previous);
  }
}

const move = (sql: SqlStorage, from: number, to: number) =>
  sql.exec('UPDATE audit_entry SET sequence = ? WHERE sequence = ?', to, from);

const forge = (sql: SqlStorage, sequence: number, previous: string) => {
  const text = JSON.stringify({ sequence, previous, ...anEntry() });
  sql.exec('INSERT INTO audit_entry VALUES (?, ?, ?, ?, ?)', sequence, `forged/${sequence}`, text, hashOf(text), 1);
};

/** `needsHead`: only the log shows it. */
const TAMPERINGS: Readonly<Record<string, { change: Parameters<typeof tamper>[1]; needsHead?: true; isOld?: true }>> = {
  'the reason is changed': { change: (sql, rows) => edit(sql, rows, 4, { reason: 'another' }, true) },
  'the actor is changed, and its hash': { change: (sql, rows) => edit(sql, rows, 4, { actor: { client: 'globex' } }) },
  'the time of the last entry is changed': {
    change: (sql, rows) => edit(sql, rows, LENGTH, { at: '2020-01-01' }, true),
  },
  'a letter of a hash is changed': {
    change: (sql, rows) => {
      const { text, hash } = rows[5] as Row;
      setText(sql, 6, text, `${hash.startsWith('0') ? '1' : '0'}${hash.slice(1)}`);
    },
  },
  'the first entry is changed, and its hash': { change: (sql, rows) => edit(sql, rows, 1, { action: 'pass.sync' }) },
  'a field is added': { change: (sql, rows) => edit(sql, rows, 7, { note: 'x' }, true) },
  'the order of fields is changed': {
    change: (sql, rows) => {
      const { key, ...rest } = JSON.parse(rows[2]?.text ?? '');
      setText(sql, 3, JSON.stringify({ key, ...rest }));
    },
  },
  'an entry is removed': { change: (sql) => remove(sql, 6) },
  'several entries are removed': { change: (sql) => remove(sql, 3, 8) },
  'the first entry is removed': { change: (sql) => remove(sql, 1) },
  'an entry is removed, and the next one linked': {
    change: (sql, rows) => {
      remove(sql, 6);
      edit(sql, rows, 7, { previous: rows[4]?.hash });
    },
  },
  'an entry is removed, and the later ones move up': {
    change: (sql) => {
      remove(sql, 6);
      for (let n = 7; n <= LENGTH; n += 1) move(sql, n, n - 1);
    },
  },
  'two entries change places': {
    change: (sql) => {
      move(sql, 4, 99);
      move(sql, 5, 4);
      move(sql, 99, 5);
    },
  },
  'the numbers of two entries are exchanged': {
    change: (sql, rows) => {
      edit(sql, rows, 4, { sequence: 5 });
      edit(sql, rows, 5, { sequence: 4 });
    },
  },
  'an entry is forged at the end, without a link': { change: (sql) => forge(sql, LENGTH + 1, 'f'.repeat(64)) },
  'an entry is repeated at the end': {
    change: (sql, rows) =>
      sql.exec('INSERT INTO audit_entry VALUES (?, ?, ?, ?, 1)', LENGTH + 1, 'x', rows[3]?.text, rows[3]?.hash),
  },
  'the beginning is cut as if by retention, without an entry': {
    change: (sql, rows, storage) => {
      remove(sql, 1, 3);
      storage.kv.put('trail', { start: { sequence: 3, hash: rows[2]?.hash }, logged: 0, loggedAt: 0 });
    },
  },
  'more is cut than the entry of the retention says': {
    isOld: true,
    change: (sql, rows, storage) => {
      remove(sql, 6, 7);
      storage.kv.put('trail', { start: { sequence: 7, hash: rows[1]?.hash }, logged: 0, loggedAt: 0 });
    },
  },
  'the end is cut': { needsHead: true, change: (sql) => remove(sql, LENGTH - 1, LENGTH) },
  'an entry is changed, and all hashes after it': {
    needsHead: true,
    change: (sql, rows) => chainAgain(sql, rows, 4, { reason: 'another' }),
  },
  'everything is removed': { needsHead: true, change: (sql) => remove(sql, 1, LENGTH) },
};

describe('the verification of a trail', () => {
  it('knows at least 20 ways to tamper with one', () => {
    expect(Object.keys(TAMPERINGS).length).toBeGreaterThanOrEqual(20);
  });

  it.each(Object.entries(TAMPERINGS))('finds that %s', async (_, { change, needsHead = false, isOld = false }) => {
    const trail = isOld ? await anOldTrail() : await aFilledTrail();
    const { head } = await trail.read({ limit: 1 });
    expect(await verify(trail, [head])).toEqual([]);
    await tamper(trail, change);
    const findings = await verify(trail, needsHead ? [head] : []);
    expect(findings.length).toBeGreaterThan(0);
    if (needsHead) expect(await verify(trail)).toEqual([]);
  });

  it('accepts 20 honest trails, in pages of any size', async () => {
    for (let n = 0; n < 20; n += 1) {
      const trail = n % 4 === 3 ? await anOldTrail() : await aFilledTrail();
      const { head: before } = await trail.read({ limit: 1 });
      await trail.append(Array.from({ length: n }, () => anEntry()));
      const { head, start } = await trail.read({ limit: 1 });
      expect(await verify(trail, [before, head, start], 1 + (n % 7)), `trail ${n}`).toEqual([]);
    }
  });

  it('accepts an empty trail, and entries that are deleted while it reads', async () => {
    expect(await verify(aTrail())).toEqual([]);
    const trail = await aFilledTrail();
    const verifier = new TrailVerifier([]);
    const shown = (page: Awaited<ReturnType<Trail['read']>>) => ({
      ...page,
      entries: page.entries.map(({ text, hash }): ShownEntry => ({ ...JSON.parse(text), hash })),
    });
    const first = await trail.read({ limit: 2 });
    verifier.add(shown(first));
    await runInDurableObject(trail, (_, { storage }) => {
      storage.sql.exec('UPDATE audit_entry SET appended_ms = 1 WHERE sequence <= 6');
    });
    await runDurableObjectAlarm(trail);
    verifier.add(shown(await trail.read({ limit: 99, after: first.next })));
    expect(verifier.finish()).toEqual([]);
  });

  it('says that a head before the oldest entry proves nothing', async () => {
    const trail = await aFilledTrail();
    const [second] = (await trail.read({ limit: 1, after: 1 })).entries;
    await runInDurableObject(trail, (_, { storage }) => {
      storage.sql.exec('UPDATE audit_entry SET appended_ms = 1 WHERE sequence <= 6');
    });
    await runDurableObjectAlarm(trail);
    expect(await verify(trail, [{ sequence: 2, hash: second?.hash ?? '' }])).toEqual([
      expect.stringContaining('it is deleted'),
    ]);
  });

  it('reads heads as the log has them', () => {
    const hash = 'a'.repeat(64);
    expect(parseHead(`12:${hash}`)).toEqual({ sequence: 12, hash });
    for (const text of ['12', `12:${hash}a`, `x:${hash}`, `12:${'A'.repeat(64)}`])
      expect(parseHead(text)).toBeUndefined();
  });
});
