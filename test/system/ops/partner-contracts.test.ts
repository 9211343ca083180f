import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { parseExport } from '../../../ops/partner/file.ts';
import { PROJECT } from '../../../terminal/wrangler.ts';
import { GATEKEEPER_NETWORKS } from '../../../tools/localnet/oauth/partners.ts';
import { CIVIC_CONTRACT, defaultContract } from '../../default-contract.ts';

/** The contracts of a gatekeeper network never change once they are chosen. `manage-partners.alone.test.ts` tests the API. */

const [KEY = ''] = GATEKEEPER_NETWORKS;
const OURS = defaultContract({ network: 'sepolia' });
const ELSEWHERE = 'the passes of this gatekeeper network are in another contract';

it('the database refuses to change and to remove a chosen contract', () => {
  const db = new DatabaseSync(':memory:');
  const folder = join(PROJECT, 'migrations');
  for (const file of readdirSync(folder).sort()) db.exec(readFileSync(join(folder, file), 'utf8'));
  const insert = db.prepare('INSERT INTO gatekeeper_networks (key, contracts) VALUES (?, ?)');
  insert.run(KEY, JSON.stringify({ sepolia: CIVIC_CONTRACT }));
  for (const contracts of ['{}', `{"sepolia":"${OURS}"}`, '{"sepolia":null}', `{"mainnet":"${CIVIC_CONTRACT}"}`])
    expect(() => db.prepare('UPDATE gatekeeper_networks SET contracts = ?').run(contracts)).toThrow(ELSEWHERE);
  for (const contracts of ['', '[]', '"text"', 'null']) expect(() => insert.run('x', contracts)).toThrow();
  expect(db.prepare('SELECT contracts FROM gatekeeper_networks').all()).toEqual([
    { contracts: JSON.stringify({ sepolia: CIVIC_CONTRACT }) },
  ]);
});

it.each([
  '[]',
  '{"nowhere":"0x1"}',
  '{"sepolia":7}',
  `{"sepolia":"${OURS.toLowerCase()}"}`,
  `{"devnet":"${OURS}"}`,
  '{',
])('fails to import the contracts %s', (contracts) => {
  const row = { key: KEY, shard: 'DB', public_verify: 0, contracts };
  const file = JSON.stringify({ gatekeeper_networks: [row], partners: [] });
  expect(() => parseExport(file)).toThrow('gatekeeper_networks.0.contracts');
});
