import * as v from 'valibot';
import { Failure } from '../../scripts/failure.ts';
import type { Row } from '../../scripts/wrangler.ts';
import { isShardName } from '../../src/config/bindings.ts';
import { isVisibleText } from '../../src/lib/visible-text.ts';
import { findNetwork, NETWORKS } from '../../src/network/networks.ts';
import { derivesSmallSlot } from '../../src/network/slot.ts';
import { canonicalWallet } from '../../src/network/wallet.ts';
import { statementsFor } from '../row-statements.ts';
import { ADD_CONTRACTS } from './sql.ts';

/** Exports all partners of a database to a file and imports them after a restore, which also undoes suspensions. */

const text = v.pipe(v.string(), v.check(isVisibleText));
const Limit = v.nullable(v.pipe(v.number(), v.integer(), v.minValue(0)));

const Contracts = v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.string()));

/** Whether the text is a JSON object with the contracts of Ethereum-type networks. */
function isContracts(json: string): boolean {
  const { success, output } = v.safeParse(Contracts, json);
  const isContract = ([network, address]: readonly [string, unknown]) =>
    findNetwork(NETWORKS, 'ethereum', network) !== undefined &&
    canonicalWallet('ethereum', String(address)) === address;
  return success && json.startsWith('{') && Object.entries(output).every(isContract);
}

const GatekeeperNetworkRow = v.strictObject({
  key: v.pipe(
    text,
    v.check((key) => !derivesSmallSlot(key)),
  ),
  shard: v.pipe(text, v.check(isShardName)),
  public_verify: v.picklist([0, 1]),
  contracts: v.pipe(text, v.check(isContracts)),
});
const PartnerRow = v.strictObject({
  client_id: text,
  name: text,
  gatekeeper_network: text,
  networks: v.nullable(text),
  pass_lifetime_seconds: Limit,
  daily_issuances: Limit,
  daily_changes: Limit,
  organization: v.nullable(text),
  status: v.picklist(['active', 'suspended']),
  created_at: v.pipe(v.number(), v.integer()),
});
const PartnerFile = v.strictObject({
  gatekeeper_networks: v.array(GatekeeperNetworkRow),
  partners: v.array(PartnerRow),
});
export type PartnerFile = v.InferOutput<typeof PartnerFile>;

const TABLES = { gatekeeper_networks: GatekeeperNetworkRow, partners: PartnerRow } as const;
type Table = keyof typeof TABLES;

const select = (table: Table) => `SELECT ${Object.keys(TABLES[table].entries).join(', ')} FROM ${table} ORDER BY 1`;

/** Two statements, in the order in which `formatExport` expects their rows. */
export const EXPORT = [select('gatekeeper_networks'), select('partners')] as const;

/** Returns the export as JSON with one row per line, so that an operator can compare two exports. */
export function formatExport([networks = [], partners = []]: readonly (readonly Row[])[]): string {
  const list = (rows: readonly Row[]) => rows.map((row) => `\n    ${JSON.stringify(row)}`).join(',');
  return `{\n  "gatekeeper_networks": [${list(networks)}\n  ],\n  "partners": [${list(partners)}\n  ]\n}`;
}

/** Returns the rows of an export. Throws Failure if the text is not an export. */
export function parseExport(json: string): PartnerFile {
  const result = v.safeParse(v.pipe(v.string(), v.parseJson(), PartnerFile), json);
  if (result.success) return result.output;
  const path = v.getDotPath(result.issues[0]);
  throw new Failure(`the file is not an export of partners${path === null ? '' : `: see ${path}`}`, 2);
}

/**
 * Returns statements that insert or overwrite these rows. Gatekeeper networks come first, because partners refer to them. The
 * organizations of the file leave the partners that have them now, because two partners cannot have the same one.
 */
export function importStatements({ gatekeeper_networks, partners }: PartnerFile): string[] {
  const organizations = partners.flatMap(({ organization }) => (organization === null ? [] : [[organization]]));
  return [
    ...statementsFor(
      organizations,
      (rows) =>
        `UPDATE partners SET organization = NULL WHERE organization IN (SELECT value ->> 0 FROM json_each(${rows}))`,
    ),
    ...upsert('gatekeeper_networks', gatekeeper_networks),
    ...upsert('partners', partners),
  ];
}

function upsert(table: Table, rows: readonly Readonly<Record<string, string | number | null>>[]): string[] {
  const columns = Object.keys(TABLES[table].entries);
  const [key, ...others] = columns;
  const values = columns.map((_, index) => `value ->> ${index}`);
  const set = others.map((column) => (column === 'contracts' ? ADD_CONTRACTS : `${column} = excluded.${column}`));
  return statementsFor(
    rows.map((row) => columns.map((column) => row[column] ?? null)),
    (literal) =>
      `INSERT INTO ${table} (${columns.join(', ')}) SELECT ${values.join(', ')} FROM json_each(${literal}) WHERE true ` +
      `ON CONFLICT (${key}) DO UPDATE SET ${set.join(', ')}`,
  );
}
