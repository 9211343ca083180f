/** The operator's command: `npm run partner -- add|set|list|suspend|resume …`. Partners are rows in D1. */

import { Failure, reportFailure } from '../scripts/failure.ts';
import { formatTable } from '../scripts/table.ts';
import { queryRows, type Row } from '../scripts/wrangler.ts';
import { boundShardsOf } from './deploy/environment-block.ts';
import { type PartnerCommand, parsePartnerCommand } from './partner/options.ts';
import { insertPartner, LIST_PARTNERS, setLimits, setStatus } from './partner/sql.ts';

async function run(given: PartnerCommand): Promise<void> {
  const query = (sql: string) => queryPartners(sql, given.database);
  switch (given.type) {
    case 'add': {
      const { clientId, name, shard } = given.partner;
      // It would be refused whatever it asks for.
      if (shard !== undefined && !boundShardsOf(given.environment).includes(shard))
        throw new Failure(
          `wrangler.toml binds no ${shard} there: bind it, migrate and release first (\`npm run deploy\`)`,
        );
      const added = await query(insertPartner(given.partner).join('; '));
      if (added.length === 0) throw new Failure(`there is a client "${clientId}" already: choose another --client-id`);
      console.log(`added ${clientId} (${name})`);
      return;
    }
    case 'list':
      printPartners(await query(LIST_PARTNERS));
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

const delayNote = ({ database }: PartnerCommand) =>
  database.includes('--remote') ? '; running Workers follow within 60 seconds' : '';

function demandChanged(clientId: string, changed: readonly Row[]): void {
  if (changed.length === 0) throw new Failure(`there is no client "${clientId}": see \`list\``);
}

async function queryPartners(sql: string, database: readonly string[]): Promise<Row[]> {
  return (await queryRows(sql, ['DB', ...database]).catch(explainFault)).flat();
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
  if (/SQLITE_BUSY|database is locked/.test(message)) throw new Failure('the database is in use: end the Worker first');
  throw new Failure(message);
}

function printPartners(rows: readonly Row[]): void {
  const heads = ['client', 'name', 'gatekeeper network', 'shard', 'networks', 'lifetime', 'daily issuances', 'status'];
  const lines = rows.map((row) => [
    String(row.client_id),
    String(row.name),
    String(row.gatekeeper_network),
    String(row.shard),
    row.networks === null ? 'all' : (JSON.parse(String(row.networks)) as string[]).join(','),
    row.pass_lifetime_seconds === null ? 'none' : `${row.pass_lifetime_seconds} s`,
    String(row.daily_issuances ?? 'unlimited'),
    String(row.status),
  ]);
  console.log(formatTable(heads, lines));
}

try {
  await run(parsePartnerCommand(process.argv.slice(2)));
} catch (error) {
  process.exitCode = reportFailure(error);
}
