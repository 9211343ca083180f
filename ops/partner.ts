/** The operator's command: `npm run partner -- add|set|list|suspend|resume …`. Partners are rows in D1. */

import { Failure, reportFailure } from '../scripts/failure.ts';
import { table } from '../scripts/table.ts';
import { type Row, rowsFound } from '../scripts/wrangler.ts';
import { boundShards } from './deploy/bound-shards.ts';
import { type PartnerCommand, partnerCommand } from './partner/options.ts';
import { insertPartner, LIST_PARTNERS, setLimits, setStatus } from './partner/sql.ts';

async function run(given: PartnerCommand): Promise<void> {
  const query = (sql: string) => rowsOf(sql, given.database);
  switch (given.command) {
    case 'add': {
      const { clientId, name, shard } = given.partner;
      // It would be refused whatever it asks for.
      if (shard !== undefined && !boundShards(given.environment).includes(shard))
        throw new Failure(
          `wrangler.toml binds no ${shard} there: bind it, migrate and release first (\`npm run deploy\`)`,
        );
      const added = await query(insertPartner(given.partner));
      if (added.length === 0) throw new Failure(`there is a client "${clientId}" already: choose another --client-id`);
      console.log(`added ${clientId} (${name})`);
      return;
    }
    case 'list':
      print(await query(LIST_PARTNERS));
      return;
    case 'set':
      known(given.clientId, await query(setLimits(given.clientId, given.limits)));
      console.log(`${given.clientId} is changed${followed(given)}`);
      return;
    case 'suspend':
    case 'resume': {
      const status = given.command === 'suspend' ? 'suspended' : 'active';
      known(given.clientId, await query(setStatus(given.clientId, status)));
      console.log(`${given.clientId} is ${status}${followed(given)}`);
    }
  }
}

const followed = ({ database }: PartnerCommand) =>
  database.includes('--remote') ? '; running Workers follow within 60 seconds' : '';

function known(clientId: string, changed: readonly Row[]): void {
  if (changed.length === 0) throw new Failure(`there is no client "${clientId}": see \`list\``);
}

async function rowsOf(sql: string, database: readonly string[]): Promise<Row[]> {
  return (await rowsFound(sql, ['DB', ...database]).catch(explained)).flat();
}

/** What an operator can put right gets a line that says how. */
function explained({ message }: Error): never {
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

function print(rows: readonly Row[]): void {
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
  console.log(table(heads, lines));
}

try {
  await run(partnerCommand(process.argv.slice(2)));
} catch (error) {
  process.exitCode = reportFailure(error);
}
