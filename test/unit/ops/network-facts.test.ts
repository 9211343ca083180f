import * as viemChains from 'viem/chains';
import { describe, expect, it, vi } from 'vitest';
import { FACT_NAMES, type Fact, factFaults, factsAt } from '../../../ops/facts/network-facts.ts';
import { runFactsCommand } from '../../../ops/facts.ts';
import { NETWORKS } from '../../../src/network/networks.ts';

/** The facts about the networks, and how long a release trusts them. */

const NOW = Date.parse('2026-11-28') / 1000;
const DAY = 86_400;
const facts = factsAt(NOW);
const NAMES = NETWORKS.map(({ network }) => network);

it.each(FACT_NAMES)('has the %s of each of the 28 networks with its source and the day of its last check', (name) => {
  const rows = facts.filter((fact) => fact.name === name);
  expect(rows.map(({ network }) => network)).toEqual(NAMES);
  expect(rows).toHaveLength(28);
  for (const { network, value, source, checked } of rows) {
    expect([value, source], network).not.toContain('');
    expect(new Date(checked).toJSON()?.slice(0, 10), network).toBe(checked);
  }
});

it('has the status of the networks that end, with the announcement', () => {
  const ends = facts.filter(({ name, value }) => name === 'status' && value !== 'live');
  expect(ends.map(({ network, value }) => `${network} ${value}`)).toEqual([
    'polygonZKEVM ended on 2026-07-01',
    'polygonZKEVMTestnet ended on 2026-07-01',
    'fantomMainnet ending on 2026-12-31',
    'fantomTestnet ending on 2026-12-31',
  ]);
  expect(ends.map(({ source }) => source)).toEqual([
    expect.stringMatching('dev-portal PR 500'),
    expect.stringMatching('with polygonZKEVM'),
    expect.stringMatching('curve-frontend PR 2839'),
    expect.stringMatching('dev-portal PR 540'),
  ]);
});

it('names viem only for facts that viem has', () => {
  const ofViem = facts.filter(({ source }) => source.startsWith('viem'));
  expect(ofViem.length).toBeGreaterThan(30);
  for (const { network, name, value } of ofViem) {
    const row = NETWORKS.find((each) => each.network === network);
    const chains = Object.values(viemChains).filter(({ id }) => row?.chain === 'ethereum' && id === row.chainId);
    expect(chains.length, network).toBeGreaterThan(0);
    const times = chains.map((chain) => ('blockTime' in chain ? `${chain.blockTime} ms` : undefined));
    if (name === 'block-time') expect(times, network).toContain(value);
  }
});

describe('a release', () => {
  const fact = (checked: string): Fact => ({ network: 'sepolia', name: 'chain', value: '1', source: 'a', checked });

  it.each([
    ['on the day itself', '2026-11-28', NOW, true],
    ['90 days later, at the end of the day', '2026-11-28', NOW + 91 * DAY - 1, true],
    ['91 days later', '2026-11-28', NOW + 91 * DAY, false],
    ['if the day has not come', '2026-11-29', NOW, false],
    ['if it is no day', 'last autumn', NOW, false],
  ])('accepts or refuses a fact %s', (_, checked, now, isAccepted) => {
    expect(factFaults([fact(checked)], now)).toEqual(
      isAccepted ? [] : [`the chain of sepolia was last checked on ${checked}`],
    );
  });
});

it('the command prints a row for each fact, and says when they are too old', async () => {
  const printed: string[] = [];
  const log = vi.spyOn(console, 'log').mockImplementation((text) => void printed.push(text));
  expect(await runFactsCommand([], NOW)).toBe(0);
  expect(await runFactsCommand([], NOW + 365 * DAY)).toBe(0);
  log.mockRestore();
  const lines = printed.join('\n').split('\n');
  expect(lines.filter((line) => /^fantomMainnet +ending on 2026-12-31 +\d{4}-\d\d-\d\d +\w/.test(line))).toHaveLength(
    1,
  );
  expect(lines.filter((line) => /^fantomMainnet +ended on 2026-12-31 /.test(line))).toHaveLength(1);
  expect(lines.filter((line) => NAMES.includes(line.split(' ')[0] ?? ''))).toHaveLength(2 * 3 * 28);
  expect(lines.at(-1)).toBe('84 facts are too old for a release.');
});
