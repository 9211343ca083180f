import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';

/** The migration that names the contract of each gatekeeper, on the rows of the release before it. */

const MIGRATIONS = join(import.meta.dirname, '../../../migrations');
const texts = (isIn: (name: string) => boolean) =>
  readdirSync(MIGRATIONS)
    .toSorted()
    .filter(isIn)
    .map((name) => readFileSync(join(MIGRATIONS, name), 'utf8'));

/** The statement of release 1.0.0. */
const REMOVE = `INSERT INTO removed_gatekeepers (gatekeeper_network, network, gatekeeper, since) VALUES (?, ?, ?, 1) ON CONFLICT DO NOTHING`;

function afterRelease() {
  const db = new DatabaseSync(':memory:');
  for (const text of texts((name) => name < '0005')) db.exec(text);
  let passes = 0;
  const addPass = (network: string, on: string, by: string | null, contract: string, chain = 'ethereum') => {
    passes += 1;
    db.prepare(
      `INSERT INTO passes (gatekeeper_network, id, wallet, chain, network, state, on_chain_state, issued_by, version, record)
       VALUES (?, ?, ?, ?, ?, 'ACTIVE', 'ACTIVE', ?, 1, ?)`,
    ).run(network, `${passes}`, `0x${passes}`, chain, on, by, JSON.stringify({ contract }));
  };
  const remove = (...key: [string, string, string]) => db.prepare(REMOVE).run(...key);
  const migrate = () => {
    for (const text of texts((name) => name >= '0005')) db.exec(text);
  };
  const rows = (sql: string) =>
    db
      .prepare(sql)
      .all()
      .map((row) => Object.values(row).join(' '));
  return { addPass, remove, migrate, rows };
}

const REMOVED = 'SELECT gatekeeper_network, network, gatekeeper, contract FROM removed_gatekeepers';
const ISSUERS = 'SELECT network, gatekeeper_network, gatekeeper, contract FROM issuers ORDER BY 1, 2, 3';

it('names the contract of the passes in each row, also in one that the release before adds afterwards', () => {
  const { addPass, remove, migrate, rows } = afterRelease();
  addPass('n', 'sepolia', '0xa', '0xC');
  addPass('n', 'baseSepolia', '0xa', '0xD');
  remove('n', 'sepolia', '0xa');
  remove('without passes', 'sepolia', '0xa');
  migrate();
  remove('n', 'baseSepolia', '0xb');
  remove('n', 'sepolia', '0xa');
  expect(rows(REMOVED)).toEqual(['n baseSepolia 0xb 0xD', 'n sepolia 0xa 0xC', 'without passes sepolia 0xa ']);
});

it('lists the gatekeepers of the passes that exist, and of those that follow', () => {
  const { addPass, migrate, rows } = afterRelease();
  addPass('n', 'sepolia', '0xa', '0xC');
  addPass('n', 'sepolia', '0xa', '0xC');
  addPass('n', 'sepolia', '0xb', '0xC');
  addPass('n', 'sepolia', null, '0xC');
  addPass('n', 'devnet', 'a', 'program', 'solana');
  addPass('sandbox1', 'sepolia', '0xa', '0xC');
  migrate();
  addPass('m', 'sepolia', '0xa', '0xC');
  addPass('m', 'sepolia', '0xa', '0xC');
  addPass('sandbox2', 'sepolia', '0xa', '0xC');
  addPass('m', 'devnet', 'a', 'program', 'solana');
  expect(rows(ISSUERS)).toEqual(['sepolia m 0xa 0xC', 'sepolia n 0xa 0xC', 'sepolia n 0xb 0xC']);
});
