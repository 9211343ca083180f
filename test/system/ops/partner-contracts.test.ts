import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { GATEKEEPER_NETWORKS } from '../../../localnet/oauth/partners.ts';
import { insertPartner, LIST_PARTNERS, type PartnerRow } from '../../../ops/partner/sql.ts';
import { EXPORT, formatExport, importStatements, parseExport } from '../../../ops/partner/transfer.ts';
import { runPartnerCommand } from '../../../ops/partner.ts';
import { PROJECT } from '../../../scripts/wrangler.ts';
import { CIVIC_CONTRACT, defaultContract } from '../../default-contract.ts';
import { openPreparedState } from '../prepared-state.ts';
import { LocalDatabase } from './local-database.ts';
import { runCommand } from './run-command.ts';

/** The contracts of a gatekeeper network, which never change once they are chosen. */

const [KEY = '', OTHER = ''] = GATEKEEPER_NETWORKS;
const OURS = defaultContract({ network: 'sepolia' });
const ELSEWHERE = 'the passes of this gatekeeper network are in another contract';

/** Returns a database with all migrations. */
function migrated(): DatabaseSync {
  const db = new DatabaseSync(':memory:');
  const folder = join(PROJECT, 'migrations');
  for (const file of readdirSync(folder).sort()) db.exec(readFileSync(join(folder, file), 'utf8'));
  return db;
}

function register(db: DatabaseSync, clientId: string, partner: Partial<PartnerRow> = {}): void {
  const [network, row] = insertPartner({ clientId, name: clientId, gatekeeperNetwork: KEY, ...partner });
  db.exec(network);
  db.exec(row);
}

const contractsIn = (db: DatabaseSync) =>
  db
    .prepare(LIST_PARTNERS)
    .all()
    .map(({ contracts }) => JSON.parse(String(contracts)) as unknown);
const exportOf = (db: DatabaseSync) => formatExport(EXPORT.map((sql) => db.prepare(sql).all()));
const importInto = (db: DatabaseSync, file: string) => {
  for (const statement of importStatements(parseExport(file))) db.exec(statement);
};

describe('the contracts of a gatekeeper network', () => {
  it('a further partner adds contracts on other networks, and keeps those that are chosen', () => {
    const db = migrated();
    register(db, 'c1');
    expect(contractsIn(db)).toEqual([{}]);
    register(db, 'c2', { contracts: { sepolia: CIVIC_CONTRACT } });
    register(db, 'c3', { contracts: { mainnet: OURS, sepolia: CIVIC_CONTRACT } });
    register(db, 'c4');
    expect(contractsIn(db)).toEqual(Array(4).fill({ mainnet: OURS, sepolia: CIVIC_CONTRACT }));
  });

  it('the database refuses to change and to remove a chosen contract', () => {
    const db = migrated();
    register(db, 'c1', { contracts: { sepolia: CIVIC_CONTRACT } });
    expect(() => register(db, 'c2', { contracts: { sepolia: OURS } })).toThrow(ELSEWHERE);
    for (const contracts of ['{}', `{"sepolia":"${OURS}"}`, '{"sepolia":null}', `{"mainnet":"${CIVIC_CONTRACT}"}`])
      expect(() => db.prepare('UPDATE gatekeeper_networks SET contracts = ?').run(contracts)).toThrow(ELSEWHERE);
    for (const contracts of ['', '[]', '"text"', 'null'])
      expect(() =>
        db.prepare('INSERT INTO gatekeeper_networks (key, contracts) VALUES (?, ?)').run('x', contracts),
      ).toThrow();
    expect(contractsIn(db)).toEqual([{ sepolia: CIVIC_CONTRACT }]);
  });

  it('an import restores contracts, adds them to those that were chosen since, and refuses others', () => {
    const [from, since, other] = [migrated(), migrated(), migrated()];
    register(from, 'c1', { contracts: { sepolia: CIVIC_CONTRACT } });
    importInto(since, exportOf(from));
    expect(exportOf(since)).toBe(exportOf(from));
    register(since, 'c2', { contracts: { mainnet: OURS } });
    importInto(since, exportOf(from));
    expect(contractsIn(since)).toEqual(Array(2).fill({ sepolia: CIVIC_CONTRACT, mainnet: OURS }));
    register(other, 'c1', { contracts: { sepolia: OURS } });
    expect(() => importInto(other, exportOf(from))).toThrow(ELSEWHERE);
  });

  it.each([
    '[]',
    '{"nowhere":"0x1"}',
    '{"sepolia":7}',
    `{"sepolia":"${OURS.toLowerCase()}"}`,
    `{"devnet":"${OURS}"}`,
    '{',
  ])('fails to import the contracts %s', (contracts) => {
    const db = migrated();
    register(db, 'c1');
    const file = exportOf(db).replace('"{}"', JSON.stringify(contracts));
    expect(() => parseExport(file)).toThrow('see gatekeeper_networks.0.contracts');
  });
});

describe('the command on a local database', () => {
  const state = openPreparedState(inject('preparedState'));
  afterAll(() => state.close());
  const database = new LocalDatabase(state.folder);
  const partner = (...args: string[]) => runCommand(runPartnerCommand, [...args, '--local', '--state', state.folder]);
  const LIMITS = ['--networks', 'unlimited', '--daily-issuances', 'unlimited', '--daily-changes', 'unlimited'];
  const add = (clientId: string, ...contracts: string[]) =>
    partner('add', '--client-id', clientId, '--name', clientId, '--gatekeeper-network', OTHER, ...LIMITS, ...contracts);

  it('adds contracts, lists them, exports and imports them, and says why another one is refused', async () => {
    const both = ['--contract', `sepolia=${CIVIC_CONTRACT}`, '--contract', `mainnet=${OURS}`];
    expect(await add('initech', ...both)).toMatchObject({ code: 0 });
    expect((await partner('list')).printed).toContain(` sepolia=${CIVIC_CONTRACT},mainnet=${OURS} `);
    expect(await add('umbrella', '--contract', `sepolia=${OURS}`)).toMatchObject({
      code: 1,
      printed: expect.stringContaining('omit --shard and --contract'),
    });
    expect(database.rows("SELECT 1 FROM partners WHERE client_id = 'umbrella'")).toEqual([]);
    const file = join(state.folder, 'partners.json');
    expect(await partner('export', file)).toMatchObject({ code: 0 });
    expect(readFileSync(file, 'utf8')).toContain(CIVIC_CONTRACT);
    expect(await partner('import', file)).toMatchObject({ code: 0 });
  });
});
