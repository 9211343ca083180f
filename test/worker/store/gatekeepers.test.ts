import { env } from 'cloudflare:workers';
import { beforeEach, expect, it } from 'vitest';
import { OWNERLESS_CONTRACT } from '../../../src/network/networks.ts';
import type { Publication } from '../../../src/store/passes.ts';
import { openStore } from '../../../src/store/store.ts';
import { addRemovedGatekeeper } from '../../../src/store/validity.ts';
import { placeNetwork, SECOND, second } from '../setup/second-database.ts';
import { aProjection } from './rows.ts';

/** The gatekeepers that a watcher checks again, in all shards. */

const { DB } = env as Env;
const store = () => openStore({ ...env, [SECOND]: second });

beforeEach(async () => {
  await DB.prepare("DELETE FROM gatekeeper_networks WHERE key = 'theirs'").run();
  await placeNetwork('theirs', SECOND);
  for (const db of [DB, second])
    for (const table of ['passes', 'removed_gatekeepers', 'issuers']) await db.prepare(`DELETE FROM ${table}`).run();
});

const issuedBy = (number: number, gatekeeper: string | null, overrides: Partial<Publication> = {}): Publication => {
  const pass = aProjection(number, { gatekeeperNetwork: 'ours', ...overrides.key });
  return { ...pass, validity: { ...pass.validity, issuedBy: gatekeeper }, ...overrides };
};

it('are those whose steps have issued tokens, once each, and those whose tokens are void', async () => {
  await store().publishPasses([
    issuedBy(1, null),
    issuedBy(2, '0x2'),
    issuedBy(3, '0x2'),
    issuedBy(4, '0x1', { key: aProjection(4, { gatekeeperNetwork: 'theirs' }).key }),
  ]);
  await store().publishPasses([issuedBy(1, '0x3', { version: 2 }), issuedBy(2, '0x2', { version: 2 })]);
  const contract = OWNERLESS_CONTRACT;
  const known = { gatekeeperNetwork: 'ours', network: 'sepolia', contract };
  await addRemovedGatekeeper(DB, { ...known, gatekeeper: '0x2' }, 1);
  await addRemovedGatekeeper(DB, { ...known, gatekeeper: '0x9' }, 1);
  const all = [
    { ...known, gatekeeper: '0x2', isVoid: 1 },
    { ...known, gatekeeper: '0x3', isVoid: 0 },
    { ...known, gatekeeper: '0x9', isVoid: 1 },
    { ...known, gatekeeperNetwork: 'theirs', gatekeeper: '0x1', isVoid: 0 },
  ];
  expect(await store().gatekeepersAfter('sepolia', undefined, 10)).toEqual(all);
  expect(await store().gatekeepersAfter('sepolia', all[1], 1)).toEqual([all[2]]);
  expect(await store().gatekeepersAfter('sepolia', all[2], 10)).toEqual([all[3]]);
  expect(await store().gatekeepersAfter('baseSepolia', undefined, 10)).toEqual([]);
});
