import { afterEach, expect, it, vi } from 'vitest';
import { SqlDatabase } from '../../../../simulation/platform/sql-database.ts';

afterEach(() => void vi.useRealTimers());

it('the functions of time in SQL have the time of the world', () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2031, 1, 3, 4, 5, 6, 789) });
  const db = new SqlDatabase();
  const query = `SELECT unixepoch() AS seconds, unixepoch('subsec') AS exact, strftime('%Y-%m', 'now') AS month,
    strftime('%Y-%m-%dT%H:%M:%fZ', 'now') AS text`;
  expect(db.exec(query).one()).toEqual({
    seconds: 1_927_857_906,
    exact: 1_927_857_906.789,
    month: '2031-02',
    text: '2031-02-03T04:05:06.789Z',
  });
  db.close();
});
