import { createHash } from 'node:crypto';
import type { LocalDatabase } from '../ops/local-database.ts';

/** Compares the databases of a move, while no service runs. */

/** The tables with rows of gatekeeper networks, of whatever release. */
function tablesWith(database: LocalDatabase, column: string): string[] {
  const sql = `SELECT m.name FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = 'table' AND c.name = '${column}'`;
  return database.rows(sql).map(({ name }) => String(name));
}

/** These name a gatekeeper network wherever its passes are. */
const STAY = ['partners', 'moves', 'absences'];

/** Returns the tables of a database that have rows of a gatekeeper network, with the number of rows. */
export function rowsLeftIn(database: LocalDatabase, key: string): Record<string, number> {
  const counts = tablesWith(database, 'gatekeeper_network')
    .filter((table) => !STAY.includes(table))
    .map((table) => {
      const [row] = database.rows(`SELECT count(*) AS n FROM ${table} WHERE gatekeeper_network = '${key}'`);
      return [table, Number(row?.n)] as const;
    });
  return Object.fromEntries(counts.filter(([, n]) => n > 0));
}

/** Returns a digest of all columns of the passes with ids below that one, and their number. */
export function digestOfPasses(database: LocalDatabase, key: string, before: string): string {
  const hash = createHash('sha256');
  let count = 0;
  for (let after = ''; ; ) {
    const rows =
      database.rows(`SELECT * FROM passes WHERE gatekeeper_network = '${key}' AND id > '${after}' AND id < '${before}'
      ORDER BY id LIMIT 10000`);
    for (const row of rows) hash.update(JSON.stringify(row));
    count += rows.length;
    after = String(rows.at(-1)?.id);
    if (rows.length === 0) return `${count} ${hash.digest('hex')}`;
  }
}

/** Returns the usage in a database, and the usage that its passes and these issued and revoked ones amount to. */
export function usageIn(
  database: LocalDatabase,
  key: string,
  { issued, revoked }: Record<'issued' | 'revoked', number>,
) {
  const sums = ['issued', 'renewed', 'revoked', 'active'].map((name) => `sum(${name}) AS ${name}`).join();
  const [stored] = database.rows(`SELECT ${sums} FROM usage WHERE gatekeeper_network = '${key}'`);
  const sql = `SELECT count(*) AS active FROM passes WHERE gatekeeper_network = '${key}' AND state = 'ACTIVE'`;
  return { stored, expected: { issued, renewed: 0, revoked, ...database.rows(sql)[0] } };
}
