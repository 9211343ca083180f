/** The operator's command: `npm run partner -- add|set|list|suspend|resume|export|import …`. Partners are rows in D1. */
import { readFileSync } from 'node:fs';

import { Failure, reportFailure } from '../scripts/failure.ts';
import { formatTable } from '../scripts/table.ts';
import { queryRows, type Row } from '../scripts/wrangler.ts';
import { boundShardsOf } from './deploy/environment-block.ts';
import { type PartnerCommand, parsePartnerCommand } from './partner/options.ts';
import { insertPartner, LIST_PARTNERS, setLimits, setStatus } from './partner/sql.ts';
import { commandsOf, EXPORT, formatExport, importStatements, parseExport } from './partner/transfer.ts';

async function run(given: PartnerCommand): Promise<void> {
  const query = (sql: string) => queryPartners(sql, given.database);
  switch (given.type) {
    case 'add': {
      const { clientId, name, shard } = given.partner;
      if (shard !== undefined) demandBound(shard, given.environment);
      const added = await query(insertPartner(given.partner).join('; '));
      if (added.length === 0) throw new Failure(`there is a client "${clientId}" already: choose another --client-id`);
      console.log(`added ${clientId} (${name})`);
      return;
    }
    case 'list':
      printPartners(await query(LIST_PARTNERS));
      return;
    case 'export':
      console.log(formatExport(await runSql(EXPORT.join('; '), given.database)));
      return;
    case 'import':
      await importPartners(given);
      return;
    case 'set':
      demandChanged(given.clientId, await query(setLimits(given.clientId, given.limits)));
      console.log(`${given.clientId} is changed${delayNote(given)}`);
      return;
    case 'suspend':
    case 'resume': {
      const status = given.type === 'suspend' ? 'suspended' : 'active';
      demandChanged(given.clientId, await query(setStatus(given.clientId, status)));
      console.log(`${given.clientId} is ${status}${delayNote(given)}`);
    }
  }
}

/** A partner whose shard is not bound would be refused whatever it asks for. */
function demandBound(shard: string, environment: string | undefined): void {
  if (!boundShardsOf(environment).includes(shard))
    throw new Failure(`wrangler.toml binds no ${shard} there: bind it, migrate and release first (\`npm run deploy\`)`);
}

async function importPartners(given: PartnerCommand & { type: 'import' }): Promise<void> {
  const file = parseExport(readExport(given.file));
  for (const { shard } of file.gatekeeper_networks) demandBound(shard, given.environment);
  for (const command of commandsOf(importStatements(file))) await runSql(command, given.database);
  const imported = new Set(file.partners.map(({ client_id }) => client_id));
  const ids = (await queryPartners(LIST_PARTNERS, given.database)).map(({ client_id }) => String(client_id));
  const others = ids.filter((id) => !imported.has(id));
  console.log(`imported ${imported.size} partners${delayNote(given)}`);
  if (others.length > 0) console.log(`not in the file, and unchanged: ${others.join(', ')}`);
}

function readExport(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new Failure(`${file} cannot be read`, 2);
  }
}

const delayNote = ({ database }: PartnerCommand) =>
  database.includes('--remote') ? '; running Workers follow within 60 seconds' : '';

function demandChanged(clientId: string, changed: readonly Row[]): void {
  if (changed.length === 0) throw new Failure(`there is no client "${clientId}": see \`list\``);
}

async function queryPartners(sql: string, database: readonly string[]): Promise<Row[]> {
  return (await runSql(sql, database)).flat();
}

function runSql(sql: string, database: readonly string[]): Promise<(readonly Row[])[]> {
  return queryRows(sql, ['DB', ...database]).catch(explainFault);
}

/** What an operator can put right gets a line that says how. */
function explainFault({ message }: Error): never {
  if (/no such table|no such column|has no column/.test(message)) {
    throw new Failure(
      'the tables are not there, or of an earlier release: `npm run dev -- --state DIR` makes the local ones, `npm run deploy` the remote ones',
    );
  }
  if (/in another shard/.test(message)) {
    throw new Failure(
      'the passes of this gatekeeper network are in another shard: without --shard the partner gets that',
    );
  }
  if (/could be the number of another/.test(message)) {
    throw new Failure('the slot of this gatekeeper network could be the number of another one: name another key');
  }
  if (/SQLITE_BUSY|database is locked/.test(message)) throw new Failure('the database is in use: end the Worker first');
  throw new Failure(message);
}

function printPartners(rows: readonly Row[]): void {
  const heads = [
    'client',
    'name',
    'gatekeeper network',
    'shard',
    'networks',
    'lifetime',
    'daily issuances',
    'daily changes',
    'status',
  ];
  const lines = rows.map((row) => [
    String(row.client_id),
    String(row.name),
    String(row.gatekeeper_network),
    String(row.shard),
    row.networks === null ? 'unlimited' : (JSON.parse(String(row.networks)) as string[]).join(','),
    row.pass_lifetime_seconds === null ? 'unlimited' : `${row.pass_lifetime_seconds} s`,
    String(row.daily_issuances ?? 'unlimited'),
    String(row.daily_changes ?? 'unlimited'),
    String(row.status),
  ]);
  console.log(formatTable(heads, lines));
}

try {
  await run(parsePartnerCommand(process.argv.slice(2)));
} catch (error) {
  process.exitCode = reportFailure(error);
}
