import { FEED_SQL, WEBHOOK_SQL } from '../../../src/store/feed.ts';
import { PUBLISH } from '../../../src/store/passes.ts';
import { refusalFrom } from '../../../src/store/placements.ts';
import { USAGE_SQL } from '../../../src/store/usage.ts';
import { IS_VOID } from '../../../src/store/validity.ts';
import type { Ran } from '../store/recorder.ts';
import type { ObjectCall, Uses } from './recorded-bindings.ts';

/** The partner of the request. */
export interface Owner {
  readonly clientId: string;
  readonly gatekeeperNetwork: string;
}

/** Returns every access beyond the partner's own data. Every question about a pass must name its gatekeeper network. */
export function findForeignAccess({ statements, calls, messages }: Uses, owner: Owner): unknown[] {
  return [
    ...statements.filter((statement) => !isOwnStatement(statement, owner)),
    ...calls.filter((call) => !isOwnCall(call, owner)),
    ...messages.filter((message) => !namesOnly(owner.gatekeeperNetwork, message)),
  ];
}

/**
 * Accepts a statement on one table that reads only the partner's rows. A statement that could read other rows is
 * refused.
 */
function isOwnStatement({ sql: whole, values }: Pick<Ran, 'sql' | 'values'>, owner: Owner): boolean {
  if (PUBLISHING.includes(whole)) return namesOnlyInRows(owner.gatekeeperNetwork, String(values[0]));
  if (whole === USAGE_SQL.find) return values[0] === JSON.stringify([owner.gatekeeperNetwork]);
  if (OF_FIRST_VALUE.includes(whole)) return values[0] === owner.gatekeeperNetwork;
  const sql = withoutMarks(whole);
  const parts = sql.split(' UNION ALL ');
  if (parts.length > 1) return parts.every((part) => isOwnStatement({ sql: part, values }, owner));
  const tables = [
    ...sql
      .replace(FROM_JSON, '')
      .replace(OF_PARTNER, 'FROM partners WHERE')
      .matchAll(/\b(?:FROM|INTO|UPDATE|JOIN)\s+(?!SET\b)(\w+)/gi),
  ].map(([, table]) => table);
  if (tables.length !== 1 || /\b(OR|NOT(?! INDEXED)|UNION)\b/i.test(sql)) return false;
  if (tables[0] === 'partners') return isBound('client_id', owner.clientId, sql, values);
  if (tables[0] === 'gatekeeper_networks') return isBound('key', owner.gatekeeperNetwork, sql, values);
  return tables[0] === 'passes' && isBound('gatekeeper_network', owner.gatekeeperNetwork, sql, values);
}

/** Returns the statement without what it reads of the removed gatekeepers of its rows, and a search without its page. */
const withoutMarks = (sql: string) =>
  sql.replaceAll(IS_VOID, '1').replace(/ ORDER BY id DESC LIMIT [?]6 OFFSET [?]7$/, '');

/** Statements that use only the gatekeeper networks of each bound row, and statements that use the first value. */
const PUBLISHING: readonly string[] = [PUBLISH, USAGE_SQL.count, FEED_SQL.add, FEED_SQL.count];
const OF_FIRST_VALUE: readonly string[] = [
  refusalFrom(1),
  refusalFrom(2),
  FEED_SQL.bounds,
  FEED_SQL.read,
  FEED_SQL.newest,
  FEED_SQL.countBetween,
  USAGE_SQL.subjects,
  ...Object.values(WEBHOOK_SQL),
];

function namesOnlyInRows(gatekeeperNetwork: string, json: string): boolean {
  const rows = JSON.parse(json) as (readonly unknown[] | { readonly gatekeeperNetwork: unknown })[];
  const networkOf = (row: (typeof rows)[number]) => ('gatekeeperNetwork' in row ? row.gatekeeperNetwork : row[0]);
  return rows.length > 0 && rows.every((row) => networkOf(row) === gatekeeperNetwork);
}

/** The partner's row is joined with the row of its gatekeeper network. */
const OF_PARTNER = 'FROM partners JOIN gatekeeper_networks ON key = gatekeeper_network WHERE';

/** Rows that are bound as JSON are not a table. */
const FROM_JSON = 'FROM json_each(?)';

/** Returns whether the statement is limited to rows with that value in the column. */
function isBound(column: string, value: string, sql: string, values: readonly unknown[]): boolean {
  const [insert, list = ''] = /^\s*INSERT INTO \w+ \(([^)]*)\)/.exec(sql) ?? [];
  if (insert !== undefined) {
    const columns = list.split(', ');
    const picked = columns.map((_, place) => `value ->> ${place}`).join(', ');
    if (!sql.slice(insert.length).replace(/\s+/g, ' ').startsWith(` SELECT ${picked} ${FROM_JSON}`)) return false;
    const rows = JSON.parse(String(values[0])) as unknown[][];
    return rows.length > 0 && rows.every((row) => row[columns.indexOf(column)] === value);
  }
  const [, where] = /\bWHERE\b(.*)/s.exec(sql) ?? [];
  const [condition, number] = new RegExp(`\\b${column} = [?](\\d*)`).exec(where ?? '') ?? [];
  if (condition === undefined) return false;
  const before = sql.slice(0, sql.indexOf(condition)).split('?').length - 1;
  return values[number ? Number(number) - 1 : before] === value;
}

/** The name of a pass object, a subject or a webhook contains the gatekeeper network. Calls of the other objects contain it as an argument. */
function isOwnCall({ namespace, name, method, args }: ObjectCall, { clientId, gatekeeperNetwork }: Owner): boolean {
  const named = networksIn(args).every((network) => network === gatekeeperNetwork);
  if (['PASSES', 'SUBJECTS', 'WEBHOOKS'].includes(namespace)) return named && name.startsWith(`${gatekeeperNetwork}/`);
  if (namespace === 'QUOTAS') return named && (name === clientId || name === gatekeeperNetwork);
  if (namespace === 'AUDITS') return named && name === gatekeeperNetwork;
  if (method === 'countWaitingSteps') return args[0] === clientId && args[1] === gatekeeperNetwork;
  const [questions] = args;
  return Array.isArray(questions) && questions.every((question) => namesOnly(gatekeeperNetwork, question));
}

function namesOnly(gatekeeperNetwork: string, value: unknown): boolean {
  const networks = networksIn(value);
  return networks.length > 0 && networks.every((network) => network === gatekeeperNetwork);
}

/** Returns every gatekeeper network anywhere in the value. */
function networksIn(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => (key === 'gatekeeperNetwork' ? [inner] : networksIn(inner)));
}
