import type { Platform } from '../platform/platform.ts';
import type { SqlRow, SqlValue } from '../platform/sql-database.ts';
import { contractOf } from './gatekeepers.ts';
import { CLIENTS, GATEKEEPER_NETWORKS, organizationOf } from './identities.ts';
import type { Limits } from './limits.ts';

/** The rows of a world's database, without the faults of the platform. */

export const readRows = ({ databases }: Platform, query: string, ...values: SqlValue[]): readonly SqlRow[] =>
  databases.DB?.read(query, ...values) ?? [];

/** Returns until when (Unix seconds) the watcher has covered each network with passes; 0: not yet. */
export const coveragesOf = (platform: Platform): number[] =>
  readRows(
    platform,
    'SELECT DISTINCT network, covered_until AS until FROM passes LEFT JOIN coverage USING (network)',
  ).map(({ until }) => Number(until));

/** Whether each row has the newest version of its pass. A pass without a row was never told to anybody. */
export function hasNewestVersions(platform: Platform): boolean {
  const versions = new Map(
    readRows(platform, 'SELECT id, version FROM passes').map(({ id, version }) => [id, version]),
  );
  return platform.namespaces.PASSES.all.every(({ storage }) => {
    const stored = storage.kv.get('pass') as
      | { readonly pass: { readonly id: string; readonly version: number } }
      | undefined;
    return (
      stored === undefined || Number(versions.get(stored.pass.id) ?? Number.POSITIVE_INFINITY) >= stored.pass.version
    );
  });
}

/** Stores the clients and their gatekeeper networks, as an operator does before the first request. */
export function storePartners({ databases: { DB } }: Platform, { issuances, changes }: Limits): void {
  for (const gatekeeperNetwork of GATEKEEPER_NETWORKS)
    DB?.write(
      'INSERT INTO gatekeeper_networks (key, public_verify, contracts) VALUES (?, 1, ?)',
      gatekeeperNetwork,
      JSON.stringify({ sepolia: contractOf(gatekeeperNetwork) }),
    );
  for (const { id, gatekeeperNetwork } of CLIENTS)
    DB?.write(
      'INSERT INTO partners (client_id, name, gatekeeper_network, organization, daily_issuances, daily_changes) VALUES (?, ?, ?, ?, ?, ?)',
      ...[id, id, gatekeeperNetwork, organizationOf(id), issuances ?? null, changes ?? null],
    );
}
