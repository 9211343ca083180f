/** The operator's command: `npm run partner -- add|set|network|list|suspend|resume|export|import …`. Partners are rows in D1. */
import { runNpmCommand } from '../scripts/command.ts';
import { Failure } from '../scripts/failure.ts';
import { formatTable, print } from '../scripts/print.ts';
import { queryRows, type Row, runStatements, WranglerFailure } from '../scripts/wrangler.ts';
import { PUBLIC_NETWORKS_MAX } from '../src/config/database-limit.ts';
import type { Contracts } from '../src/network/contract.ts';
import { boundShardsOf, consoleClientsOf } from './deploy/environment-block.ts';
import { readText, writeNewFile } from './files.ts';
import { type PartnerCommand, partnerCommand } from './partner/commands.ts';
import { insertPartner, LIST_PARTNERS, setPublicVerify, setSettings, setStatus } from './partner/sql.ts';
import { EXPORT, formatExport, importStatements, parseExport } from './partner/transfer.ts';
import { readInPages } from './row-statements.ts';

async function run(given: PartnerCommand): Promise<void> {
  const query = (sql: string) => queryPartners(sql, given.database);
  switch (given.type) {
    case 'add': {
      const { clientId, name, shard } = given.partner;
      demandNoConsole([clientId], given.environment);
      if (shard !== undefined) demandBound(shard, given.environment);
      const added = await query(insertPartner(given.partner).join('; '));
      if (added.length === 0) throw new Failure(`the client "${clientId}" already exists: choose another --client-id`);
      print(`added ${clientId} (${name})`);
      return;
    }
    case 'list':
      printPartners(await listPartners(given.database));
      return;
    case 'export':
      // Never overwrites a file: an earlier export may be the only copy of rows that a restore has removed.
      writeNewFile(given.file, `${formatExport(await readExported(given.database))}\n`);
      print(`exported all partners to ${given.file}`);
      return;
    case 'import':
      await importPartners(given.file, given);
      return;
    case 'set':
      demandChanged(given.clientId, await query(setSettings(given.clientId, given.settings)));
      print(`changed ${given.clientId}${delayNote(given)}`);
      return;
    case 'network': {
      const { gatekeeperNetwork: key, isPublic } = given;
      const changed = await query(setPublicVerify(key, isPublic));
      if (changed.length === 0)
        throw new Failure(
          `no partner has the gatekeeper network ${key}, or ${PUBLIC_NETWORKS_MAX} are public already: see \`list\``,
        );
      print(`public checks of ${key} are ${isPublic ? 'on' : 'off'}${delayNote(given)}`);
      return;
    }
    case 'suspend':
    case 'resume': {
      const status = given.type === 'suspend' ? 'suspended' : 'active';
      demandChanged(given.clientId, await query(setStatus(given.clientId, status)));
      print(`${given.clientId} is ${status}${delayNote(given)}`);
    }
  }
}

/** Throws Failure if the environment does not bind the shard: the service would refuse every request of the partner. */
function demandBound(shard: string, environment: string | undefined): void {
  if (!boundShardsOf(environment).includes(shard))
    throw new Failure(
      `wrangler.toml does not bind ${shard} in this environment: add the binding, then release with \`npm run deploy\``,
    );
}

/** Throws Failure if a client is the console's: the service would refuse its tokens, which belong to persons. */
function demandNoConsole(clientIds: readonly string[], environment: string | undefined): void {
  const ofConsole = consoleClientsOf(environment);
  const client = clientIds.find((id) => ofConsole.includes(id));
  if (client !== undefined)
    throw new Failure(`"${client}" is the client of the console, which acts for persons: register another client`);
}

async function importPartners(
  path: string,
  given: PartnerCommand & { environment?: string | undefined },
): Promise<void> {
  const file = parseExport(readText(path));
  demandNoConsole(
    file.partners.map(({ client_id }) => client_id),
    given.environment,
  );
  for (const { shard } of file.gatekeeper_networks) demandBound(shard, given.environment);
  const statements = importStatements(file);
  if (statements.length > 0) await runStatements(statements, ['DB', ...given.database]).catch(explainFault);
  const imported = new Set(file.partners.map(({ client_id }) => client_id));
  const ids = (await listPartners(given.database)).map(({ client_id }) => String(client_id));
  const others = ids.filter((id) => !imported.has(id));
  print(`imported ${imported.size} partners${delayNote(given)}`);
  if (others.length > 0) print(`these partners are not in the file and did not change: ${others.join(', ')}`);
}

const delayNote = ({ database }: PartnerCommand) =>
  database.includes('--remote') ? '; running Workers apply it within 60 seconds' : '';

function demandChanged(clientId: string, changed: readonly Row[]): void {
  if (changed.length === 0) throw new Failure(`no client is named "${clientId}": see \`list\``);
}

async function queryPartners(sql: string, database: readonly string[]): Promise<Row[]> {
  return (await queryRows(sql, ['DB', ...database]).catch(explainFault)).flat();
}

function listPartners(database: readonly string[]): Promise<Row[]> {
  return readInPages((sql) => queryPartners(sql, database), LIST_PARTNERS, ['client_id']);
}

/** Returns the rows of gatekeeper networks and partners. It reads the partners first: a network that has partners is never removed. */
async function readExported(database: readonly string[]): Promise<Row[][]> {
  const query = (sql: string) => queryPartners(sql, database);
  const [networks, partners] = EXPORT;
  const rows = await readInPages(query, partners, ['client_id']);
  return [await readInPages(query, networks, ['key']), rows];
}

/** The faults that an operator can correct, by SQLite's codes. */
const REMEDIES: Readonly<Record<string, string>> = {
  // A table or a column is missing.
  SQLITE_ERROR:
    'the tables are missing or belong to an earlier release: `npm run dev -- --state DIR` migrates the local database, ' +
    '`npm run deploy` the remote ones',
  // The only triggers whose refusal the options allow.
  SQLITE_CONSTRAINT_TRIGGER:
    'the passes of this gatekeeper network are in another shard or contract: omit --shard and --contract, and the partner ' +
    'gets those, see `list`',
  // All other conflicts of a key are part of the statements.
  SQLITE_CONSTRAINT_UNIQUE: 'another partner has this --organization: see `list`',
  SQLITE_BUSY: 'the database is in use: stop the Worker first',
};

function explainFault(fault: unknown): never {
  const remedy = fault instanceof WranglerFailure && REMEDIES[fault.sqliteCode ?? ''];
  throw remedy ? new Failure(remedy) : fault;
}

function printPartners(rows: readonly Row[]): void {
  const heads = [
    'client',
    'name',
    'gatekeeper network',
    'shard',
    'contracts',
    'networks',
    'lifetime',
    'daily issuances',
    'daily changes',
    'organization',
    'public checks',
    'status',
  ];
  const lines = rows.map((row) => [
    String(row.client_id),
    String(row.name),
    String(row.gatekeeper_network),
    String(row.shard),
    formatContracts(row.contracts),
    row.networks === null ? 'unlimited' : (JSON.parse(String(row.networks)) as string[]).join(','),
    row.pass_lifetime_seconds === null ? 'unlimited' : `${row.pass_lifetime_seconds} s`,
    String(row.daily_issuances ?? 'unlimited'),
    String(row.daily_changes ?? 'unlimited'),
    String(row.organization ?? 'none'),
    row.public_verify === 1 ? 'on' : 'off',
    String(row.status),
  ]);
  print(...formatTable(heads, lines).split('\n'));
}

/** Returns the contracts that are chosen. The first issuance on another network chooses its default contract. */
function formatContracts(contracts: Row[string] | undefined): string {
  const chosen = Object.entries(JSON.parse(String(contracts)) as Contracts);
  return chosen.map(([network, contract]) => `${network}=${contract}`).join(',') || 'none yet';
}

/** Runs the command, prints its result, and returns the exit code. */
export const runPartnerCommand = (args: readonly string[]): Promise<number> => runNpmCommand(partnerCommand(run), args);

if (import.meta.main) process.exitCode = await runPartnerCommand(process.argv.slice(2));
