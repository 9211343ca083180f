import * as v from 'valibot';
import { unstable_splitSqlQuery as splitSqlQuery } from 'wrangler';
import type { Account, Database } from './account.ts';
import { ApiRefusal } from './refusal.ts';
import { type ApiRoute, pageOf } from './route.ts';

/** https://developers.cloudflare.com/api/resources/d1/ – each database runs its statements. */

const Created = v.strictObject({ name: v.pipe(v.string(), v.minLength(1)) });
const Query = v.strictObject({
  sql: v.string(),
  params: v.optional(v.array(v.union([v.string(), v.number(), v.null()]))),
});

const shown = ({ uuid, name, created_at }: Database) => ({
  uuid,
  name,
  created_at,
  version: 'production',
  num_tables: 0,
});

export const D1_ROUTES: readonly ApiRoute[] = [
  {
    method: 'GET',
    path: '/d1/database',
    permission: 'D1',
    query: ['page', 'per_page', 'name'],
    handle: ({ account, query }) => pageOf(account.databases.map(shown), query),
  },
  {
    method: 'POST',
    path: '/d1/database',
    permission: 'D1',
    handle: ({ account, json }) => {
      const { name } = v.parse(Created, json);
      if (account.databases.some((each) => each.name === name))
        throw new ApiRefusal(400, 7502, `A database with that name already exists`);
      return { result: shown(account.addDatabase(name)) };
    },
  },
  {
    method: 'GET',
    path: '/d1/database/:id',
    permission: 'D1',
    query: ['fields'],
    handle: ({ account, params }) => ({ result: shown(databaseOf(account, params.id)) }),
  },
  {
    method: 'POST',
    path: '/d1/database/:id/query',
    permission: 'D1',
    handle: async ({ account, params, json }) => {
      const { sql, params: values = [] } = v.parse(Query, json);
      return { result: await answersOf(databaseOf(account, params.id), sql, values) };
    },
  },
];

/** The API finds a database by its id or its name. */
function databaseOf({ databases }: Account, id = ''): Database {
  const found = databases.find(({ uuid, name }) => uuid === id || name === id);
  if (!found) throw new ApiRefusal(404, 7404, 'The database could not be found');
  return found;
}

async function answersOf({ run }: Database, sql: string, values: readonly (string | number | null)[]) {
  const meta = { changes: 0, duration: 0, rows_read: 0, rows_written: 0, size_after: 4096, served_by: 'imitation' };
  try {
    const rows = await run(splitSqlQuery(sql), values);
    return rows.map((results) => ({ results, success: true, meta }));
  } catch (error) {
    const message = (error as Error).message.replace(/^D1_ERROR: /, '').replace(/: SQLITE_ERROR.*$/s, '');
    throw new ApiRefusal(400, 7500, `${message}: SQLITE_ERROR`);
  }
}
