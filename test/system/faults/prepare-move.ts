import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PROJECT, runWrangler, storageFolderOf } from '../../../terminal/wrangler.ts';
import { databaseFilesOf, type LocalDatabase } from '../ops/local-database.ts';

/** A Worker with two databases. While it runs, nothing else may open their files. */
export interface TwoDatabases {
  /** Configuration of the built Worker with both databases. */
  readonly config: string;
  /** The files. */
  readonly first: string;
  readonly second: string;
}

/** Adds a second database to a state folder, and to a copy of the configuration of a built Worker. */
export async function addSecondDatabase(state: string, built: string): Promise<TwoDatabases> {
  const config = join(dirname(built), 'two-databases.toml');
  const folder = `migrations_dir = ${JSON.stringify(join(PROJECT, 'migrations'))}`;
  const second = `
[[d1_databases]]
binding = "DB_1"
database_name = "gatepass-1"
database_id = "00000000-0000-0000-0000-000000000001"
${folder}
`;
  writeFileSync(config, readFileSync(built, 'utf8') + second);
  const [file = ''] = databaseFilesOf(state);
  const where = ['--local', '--persist-to', storageFolderOf(state), '--config', config];
  await runWrangler(['d1', 'migrations', 'apply', 'DB_1', ...where]);
  const [added = ''] = databaseFilesOf(state).filter((each) => each !== file);
  return { config, first: file, second: added };
}

/** The id of a prepared pass, and its wallet. */
export const idOf = (number: number): string => `01900000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;
export const walletOf = (number: number): string => `0x9${String(number).padStart(39, '0')}`;

/**
 * Adds rows of issued passes on Sepolia, numbered from 0.
 * @param events Number of events in the feed, which are about the newest passes, as in a deployment.
 */
export function addIssued(database: LocalDatabase, key: string, count: number, events: number): void {
  const firstEvent = count - events;
  database.write(`
    CREATE TEMP TABLE issued AS WITH RECURSIVE numbers (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM numbers WHERE i < ${count - 1})
      SELECT i, printf('01900000-0000-7000-8000-%012x', i) AS id, printf('0x9%039d', i) AS wallet FROM numbers;
    INSERT INTO passes (gatekeeper_network, id, wallet, chain, network, state, on_chain_state, version, events_in_feed, record)
      SELECT '${key}', id, wallet, 'ethereum', 'sepolia', 'ACTIVE', 'ACTIVE', 1, i >= ${firstEvent}, json_object('id', id,
        'chain', json_object('type', 'ethereum', 'network', 'sepolia'), 'gatekeeperNetwork', '${key}', 'walletAddress', wallet,
        'events', json_array(json_object('eventType', 'TOKEN_ISSUED', 'timestamp', 1790000000)),
        'onChainState', 'ACTIVE', 'state', 'ACTIVE') FROM issued;
    INSERT INTO events (gatekeeper_network, sequence, at, type, body)
      SELECT gatekeeper_network, i + 1 - ${firstEvent}, unixepoch(), 'pass.issued', json_object('id', id || '.1',
        'timestamp', '2026-11-20T11:03:45.000Z', 'data',
        json_object('event', record -> '$.events[0]', 'pass', json_remove(record, '$.events')))
      FROM passes JOIN issued USING (id, wallet) WHERE gatekeeper_network = '${key}' AND i >= ${firstEvent};
    INSERT INTO feeds (gatekeeper_network, sequence) VALUES ('${key}', ${events});
    INSERT INTO usage (gatekeeper_network, network, month, issued, active) VALUES ('${key}', 'sepolia', '2026-01', ${count}, ${count})`);
}

/** The places at which a test can hold a move, and the write that then fails. */
const HOLDS = {
  copy: ['INSERT ON passes', (pass: number) => `NEW.id = '${idOf(pass)}'`],
  switch: ['UPDATE OF shard ON gatekeeper_networks', () => 'NEW.shard <> OLD.shard'],
  delete: ['DELETE ON passes', (pass: number) => `OLD.id = '${idOf(pass)}'`],
} as const;
type Hold = keyof typeof HOLDS;

/**
 * Makes a database fail at a place of a move, so that the move stays there until `releaseMove`. Otherwise chance would choose the places at
 * which a test kills something.
 * @param pass The prepared pass at which the copying or the deleting stops.
 */
export function holdMove(database: LocalDatabase, hold: Hold, pass = 0): void {
  const [write, condition] = HOLDS[hold];
  database.write(`CREATE TRIGGER hold_${hold}_${pass} BEFORE ${write} WHEN ${condition(pass)}
    BEGIN SELECT RAISE(ABORT, '${faultOf(hold)}'); END`);
}

/** Returns the text of the fault that a hold causes. */
export const faultOf = (hold: Hold): string => `the test holds the ${hold}`;

export const releaseMove = (database: LocalDatabase, hold: Hold, pass = 0): void =>
  database.write(`DROP TRIGGER hold_${hold}_${pass}`);
