import type { DatabaseSync } from 'node:sqlite';
import { PARTNER } from './dataset.ts';

/**
 * Adds `count` passes of the same partner, with ids in the order of the primary key. The database itself makes the rows, because
 * single inserts would take a quarter of an hour. The values have the length of real ones.
 */
export function insertFillerPasses(db: DatabaseSync, count: number, until: number): void {
  const { gatekeeperNetwork } = PARTNER;
  const indexes = db
    .prepare("SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = 'passes' AND sql IS NOT NULL")
    .all() as { name: string; sql: string }[];
  // An index that is built at once from existing rows takes a tenth of the time.
  for (const { name } of indexes) db.exec(`DROP INDEX ${name}`);
  db.exec(`
    WITH RECURSIVE number (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM number WHERE i < ${count}),
    wallets AS (SELECT i, '0x' || lower(hex(randomblob(20))) AS wallet, ${until} - i * 10 AS at FROM number),
    named AS (
      SELECT *, printf('%08x-%04x-7000-8000-%012x', at * 1000 >> 16, at * 1000 & 65535, i) AS id,
        '0x' || lower(hex(randomblob(32))) AS hash
      FROM wallets
    )
    INSERT INTO passes (gatekeeper_network, wallet, chain, network, id, state, on_chain_state, version, record)
    SELECT '${gatekeeperNetwork}', wallet, 'ethereum', 'sepolia', id, 'ACTIVE', 'ACTIVE', 3, printf(
      '{"id":"%s","chain":{"type":"ethereum","network":"sepolia"},"gatekeeperNetwork":"${gatekeeperNetwork}",'
      || '"walletAddress":"%s","events":[{"eventType":"TOKEN_ISSUED_INITIATED","timestamp":%d,"transaction":'
      || '{"identifier":"%s","status":"confirmed"}},{"eventType":"TOKEN_ISSUED","timestamp":%d,"transaction":'
      || '{"identifier":"%s","status":"confirmed"}}],"onChainState":"ACTIVE","state":"ACTIVE"}',
      id, wallet, at, hash, at + 1, hash
    ) FROM named ORDER BY id`);
  for (const { sql } of indexes) db.exec(sql);
}
