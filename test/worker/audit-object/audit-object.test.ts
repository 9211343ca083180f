import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { describe, expect, it, vi } from 'vitest';
import { type AuditEntry, chainEntry, hashOf, TRAIL_START } from '../../../src/audit/entry.ts';
import { DAY_MS, MINUTE_MS } from '../../../src/lib/units.ts';
import { linesOf } from '../lines-of.ts';
import { countRows } from '../signer-object/count-rows.ts';
import { anEntry, aTrail } from './a-trail.ts';

type Trail = ReturnType<typeof aTrail>;

const parsed = async (trail: Trail, query: Parameters<Trail['read']>[0]) =>
  (await trail.read(query)).entries.map(({ text }) => JSON.parse(text) as AuditEntry & { sequence: number });

/** Makes the entries up to that sequence that many days older, as the trail counts their age. */
const age = (trail: Trail, days: number, upTo = Number.MAX_SAFE_INTEGER) =>
  runInDurableObject(trail, (_, { storage }) => {
    storage.sql.exec('UPDATE audit_entry SET appended_ms = appended_ms - ? WHERE sequence <= ?', days * DAY_MS, upTo);
  });

describe('an audit trail', () => {
  it('chains its entries: each has the sequence and the hash of the one before it', async () => {
    const trail = aTrail();
    const [first, second] = [anEntry(), anEntry()];
    await trail.append([first]);
    await trail.append([second]);
    const chained = chainEntry(TRAIL_START, first);
    const next = chainEntry(chained, second);
    const { entries, head, start, more } = await trail.read({ limit: 10 });
    expect(entries).toEqual([chained, next].map(({ text, hash }) => ({ text, hash })));
    expect(entries.map(({ text }) => hashOf(text))).toEqual(entries.map(({ hash }) => hash));
    expect({ head, start, more }).toEqual({
      head: { sequence: 2, hash: next.hash },
      start: TRAIL_START,
      more: false,
    });
  });

  it('appends an entry once, however often it gets it', async () => {
    const trail = aTrail();
    const entries = [anEntry(), anEntry()];
    await trail.append(entries.slice(0, 1));
    await Promise.all([trail.append(entries), trail.append(entries), trail.append([...entries, anEntry()])]);
    expect(await parsed(trail, { limit: 10 })).toHaveLength(3);
  });

  it('keeps both entries of a key that a restored pass has given again, and one of a sign-in that two saw', async () => {
    const trail = aTrail();
    const first = anEntry();
    const again = { ...first, action: 'pass.revoke', requestId: crypto.randomUUID() };
    await trail.append([first]);
    await trail.append([first, again]);
    await trail.append([again]);
    expect(await parsed(trail, { limit: 10, pass: first.key.slice(0, -2) })).toMatchObject([
      { sequence: 1, ...first },
      { sequence: 2, action: 'pass.revoke', key: expect.stringMatching(/\/1\/[0-9a-f]{16}$/) },
    ]);
    const signIn = anEntry({ key: 'sign-in/a', action: 'console.sign_in', requestId: 'one' });
    await Promise.all([trail.append([signIn]), trail.append([{ ...signIn, requestId: 'two' }])]);
    expect(await parsed(trail, { limit: 10 })).toHaveLength(3);
  });

  it('keeps its order if its clock goes back', async () => {
    const trail = aTrail();
    await trail.append([anEntry()]);
    await age(trail, -1);
    await trail.append([anEntry(), anEntry()]);
    expect(await trail.read({ limit: 9, from: Date.now() })).toMatchObject({ head: { sequence: 3 }, more: false });
    const times = await runInDurableObject(trail, (_, { storage }) =>
      storage.sql.exec('SELECT count(DISTINCT appended_ms) AS n FROM audit_entry').one(),
    );
    expect(times).toEqual({ n: 1 });
  });

  it('writes two rows per entry, and none for a repeated one', async () => {
    const trail = aTrail();
    await trail.append([anEntry()]);
    await runInDurableObject(trail, async (object, { storage }) => {
      const exec = storage.sql.exec.bind(storage.sql);
      const counted = countRows({ exec } as SqlStorage);
      const spied = vi.spyOn(storage.sql, 'exec').mockImplementation(counted.sql.exec as never);
      const entry = anEntry();
      await object.append([entry]);
      expect(counted.rowsWritten()).toBe(2);
      await object.append([entry]);
      expect(counted.rowsWritten()).toBe(2);
      spied.mockRestore();
    });
  });

  it('finds entries by pass, client, action and time, from either end, page by page', async () => {
    const trail = aTrail();
    const pass = anEntry().target as { pass: string };
    const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
    const entries = Array.from({ length: 12 }, (_, n) =>
      anEntry({
        ...(n % 3 === 0 && { key: `${pass.pass}/${n}`, target: pass }),
        at: at(n),
        actor: { client: n % 2 === 0 ? 'acme' : 'globex' },
        action: n < 4 ? 'pass.issue' : 'pass.revoke',
      }),
    );
    await trail.append(entries);
    const sequences = async (query: Parameters<Trail['read']>[0]) =>
      (await parsed(trail, query)).map(({ sequence }) => sequence);
    expect(await sequences({ limit: 99, pass: pass.pass })).toEqual([1, 4, 7, 10]);
    expect(await sequences({ limit: 99, pass: pass.pass, newestFirst: true })).toEqual([10, 7, 4, 1]);
    expect(await sequences({ limit: 99, client: 'globex', action: 'pass.issue' })).toEqual([2, 4]);
    const between = { from: Date.parse(at(3)), to: Date.parse(at(6)) };
    expect(await sequences({ limit: 99, ...between })).toEqual([4, 5, 6, 7]);
    expect(await sequences({ limit: 2, ...between, newestFirst: true })).toEqual([7, 6]);
    expect(await sequences({ limit: 99, from: Date.now() + DAY_MS })).toEqual([]);

    const pages: number[][] = [];
    let page = await trail.read({ limit: 5 });
    for (;;) {
      pages.push(page.entries.map(({ text }) => JSON.parse(text).sequence));
      if (!page.more) break;
      page = await trail.read({ limit: 5, after: page.next });
    }
    expect(pages).toEqual([
      [1, 2, 3, 4, 5],
      [6, 7, 8, 9, 10],
      [11, 12],
    ]);
    const newest = await trail.read({ limit: 5, newestFirst: true });
    expect(newest).toMatchObject({ next: 8, more: true });
    expect(await sequences({ limit: 99, newestFirst: true, after: newest.next })).toEqual([7, 6, 5, 4, 3, 2, 1]);
  });

  it('begins to read near the time, and ends a page after 2,000 entries that do not match', async () => {
    const trail = aTrail();
    await trail.append(Array.from({ length: 2_100 }, () => anEntry()));
    await age(trail, 1);
    await trail.append([anEntry({ actor: { client: 'globex' } })]);
    const first = await trail.read({ limit: 1, client: 'globex' });
    expect(first).toMatchObject({ entries: [], next: 2_000, more: true });
    expect((await trail.read({ limit: 1, client: 'globex', after: first.next })).entries).toHaveLength(1);
    const since = Date.now() - MINUTE_MS;
    expect(await trail.read({ limit: 1, client: 'globex', from: since })).toMatchObject({ next: 2_101, more: false });
  });

  it('finds an entry by its time if the clock of its pass is some minutes ahead', async () => {
    const trail = aTrail();
    const ahead = (minutes: number) => Date.now() + minutes * MINUTE_MS;
    await trail.append([anEntry({ at: new Date(ahead(4)).toISOString() })]);
    expect(await parsed(trail, { limit: 9, from: ahead(3) })).toHaveLength(1);
  });

  it('records an action whose end is lost with an unknown outcome, and none for a refused one', async () => {
    const trail = aTrail();
    const { outcome: _, ...begun } = anEntry({ key: 'request-1' });
    await trail.begin(begun);
    await trail.begin({ ...begun, key: 'request-2' });
    await trail.conclude('request-2', undefined);
    expect(await parsed(trail, { limit: 9 })).toEqual([]);
    await runInDurableObject(trail, (_, { storage }) => {
      storage.sql.exec('UPDATE begun_action SET until_ms = 1');
    });
    expect(await runDurableObjectAlarm(trail)).toBe(true);
    expect(await parsed(trail, { limit: 9 })).toMatchObject([{ key: 'request-1', outcome: { type: 'unknown' } }]);
    // The late end of the action changes no entry, and an end without a begin makes none.
    await trail.conclude('request-3', { outcome: { type: 'done' } });
    await trail.conclude('request-1', { outcome: { type: 'done' } });
    expect(await parsed(trail, { limit: 9 })).toHaveLength(1);
  });

  it('keeps the first of two actions with one key', async () => {
    const trail = aTrail();
    const { outcome: _, ...begun } = anEntry({ key: 'request-1' });
    await trail.begin(begun);
    const again = runInDurableObject(trail, (object) => object.begin({ ...begun, action: 'another' }));
    await expect(again).rejects.toThrow('UNIQUE');
    await trail.conclude('request-1', { outcome: { type: 'done' } });
    expect(await parsed(trail, { limit: 9 })).toMatchObject([{ key: 'request-1', action: begun.action }]);
  });

  it('tries again in an hour after a fault of its alarm', async () => {
    const trail = aTrail();
    const errors = vi.spyOn(console, 'error').mockReturnValue();
    const { outcome: _, ...begun } = anEntry({ key: 'request-1' });
    await trail.begin(begun);
    const change = (column: string) =>
      runInDurableObject(trail, async (object, { storage }) => {
        storage.sql.exec(`UPDATE begun_action SET until_ms = 1, ${column}`);
        await object.alarm();
        return ((await storage.getAlarm()) ?? 0) - Date.now();
      });
    expect(await change("entry = 'x' || entry")).toBeGreaterThan(59 * MINUTE_MS);
    expect(linesOf(errors, 'audit.unavailable')).not.toEqual([]);
    errors.mockRestore();
    await change('entry = substr(entry, 2)');
    expect(await parsed(trail, { limit: 9 })).toMatchObject([{ key: 'request-1', outcome: { type: 'unknown' } }]);
  });

  it('deletes at most once a day: otherwise each deletion would be an entry to delete', async () => {
    const trail = aTrail();
    for (let n = 0; n < 3; n += 1) {
      await trail.append([anEntry()]);
      await runInDurableObject(trail, (_, { storage }) => {
        storage.sql.exec('UPDATE audit_entry SET appended_ms = appended_ms - 100000');
      });
    }
    await age(trail, 400);
    await runInDurableObject(trail, (object) => object.alarm());
    expect(await trail.read({ limit: 9 })).toMatchObject({ start: { sequence: 0 }, head: { sequence: 3 } });
    await age(trail, 1);
    await runInDurableObject(trail, (object) => object.alarm());
    expect(await trail.read({ limit: 9 })).toMatchObject({ start: { sequence: 3 }, head: { sequence: 4 } });
  });

  it('deletes entries after AUDIT_DAYS in slices, and keeps the place and an entry that says so', async () => {
    const trail = aTrail();
    await trail.append(Array.from({ length: 1_200 }, () => anEntry()));
    const { head: before } = await trail.read({ limit: 1 });
    const fresh = anEntry();
    // Beside old entries, it would set an alarm that is due.
    await trail.append([fresh]);
    await age(trail, 401, before.sequence);
    // A second later, the alarm would continue by itself.
    const [first, { entries, start }] = await runInDurableObject(trail, async (object) => {
      await object.alarm();
      const begun = await object.read({ limit: 1 });
      await object.alarm();
      return [begun, await object.read({ limit: 10 })] as const;
    });
    expect(first.start.sequence).toBe(1_000);
    expect(start).toEqual(before);
    expect(entries.map(({ text }) => JSON.parse(text))).toMatchObject([
      { sequence: 1_201, previous: before.hash, key: fresh.key },
      {
        sequence: 1_202,
        action: 'audit.delete',
        target: { after: 0, upTo: 1_000 },
        outcome: { counts: { entries: 1_000 } },
      },
      { sequence: 1_203, action: 'audit.delete', target: { after: 1_000, upTo: 1_200, hash: before.hash } },
    ]);
  });

  it('continues its chain after all its entries were deleted', async () => {
    const trail = aTrail();
    await trail.append([anEntry(), anEntry()]);
    const { head } = await trail.read({ limit: 1 });
    await age(trail, 401);
    await runDurableObjectAlarm(trail);
    const { entries, start } = await trail.read({ limit: 10 });
    expect(start).toEqual(head);
    expect(entries.map(({ text }) => JSON.parse(text))).toMatchObject([{ sequence: 3, previous: head.hash }]);
  });

  it('logs its head once a day, if it has grown', async () => {
    const trail = aTrail();
    const lines = vi.spyOn(console, 'log').mockReturnValue();
    const heads = () => lines.mock.calls.filter(([line]) => String(line).includes('audit.head'));
    await trail.append([anEntry()]);
    await runDurableObjectAlarm(trail);
    expect(heads()).toEqual([]);
    await age(trail, 1);
    await runInDurableObject(trail, (object) => object.alarm());
    const { head } = await trail.read({ limit: 1 });
    expect(heads().map(([line]) => JSON.parse(String(line)))).toMatchObject([{ event: 'audit.head', ...head }]);
    // Nothing is left but the deletion after AUDIT_DAYS, which is further away than an alarm may be.
    const alarm = await runInDurableObject(trail, (_, { storage }) => storage.getAlarm());
    expect(alarm).toBeGreaterThan(Date.now() + 99 * DAY_MS);
    await trail.append([anEntry()]);
    await runInDurableObject(trail, (object) => object.alarm());
    expect(heads()).toHaveLength(1);
    lines.mockRestore();
  });
});
