import { expect, it } from 'vitest';
import { lineOf } from '../../../ops/doctor/check.ts';
import { checkNetworkStatus } from '../../../ops/doctor/network-status.ts';
import type { Network } from '../../../src/network/network.ts';
import { NETWORKS } from '../../../src/network/networks.ts';
import { aConfig } from '../config/environments.ts';

/** The doctor's lines about networks that end. */

const NOW = Date.parse('2026-11-28') / 1000;
const networksWith = (settings: object) => aConfig({ NETWORKS: JSON.stringify(settings) }).networks;
const linesFor = async (networks: readonly Network[], now = NOW) =>
  (await checkNetworkStatus(networks, now)).map((finding) => lineOf(finding));

it('names each network that ends or has ended, with the day, the source and the page that helps', async () => {
  const lines = await linesFor(NETWORKS);
  expect(lines.map((line) => line.replace(/ \(.*\): .*/, ''))).toEqual([
    '--    polygonZKEVM, status: ended on 2026-07-01',
    '--    polygonZKEVMTestnet, status: ended on 2026-07-01',
    '--    fantomMainnet, status: ends on 2026-12-31',
    '--    fantomTestnet, status: ends on 2026-12-31',
  ]);
  expect(lines[0]).toContain('chainstack/dev-portal PR 500');
  for (const line of lines)
    expect(line).toMatch(/no new passes there -> leave it \(docs\/operators\/leave-a-network\.md\)$/);
});

it('counts a network as ended on the day that was announced', async () => {
  const fantom = NETWORKS.filter(({ network }) => network === 'fantomMainnet');
  expect((await linesFor(fantom, Date.parse('2026-12-31') / 1000))[0]).toContain('fantomMainnet, status: ended on');
});

it.each([
  [{ fantomMainnet: { endsOn: null } }, 'fantomMainnet, status: live (NETWORKS; the table has 2026-12-31)'],
  [{ fantomMainnet: { endsOn: '2027-03-31' } }, 'ends on 2027-03-31 (NETWORKS; the table has 2026-12-31)'],
  [{ sepolia: { endsOn: '2026-01-01' } }, 'sepolia, status: ended on 2026-01-01 (NETWORKS; the table has no end)'],
])('names a day of the operator beside that of the table: %j', async (settings, expected) => {
  const [name] = Object.keys(settings);
  const lines = await linesFor(networksWith(settings).filter(({ network }) => network === name));
  expect(lines).toEqual([expect.stringContaining(expected)]);
});
