import { describe, expect, it } from 'vitest';
import { expectedConfirmationMs, type Network, watchIntervalMs } from '../../../src/network/network.ts';
import { NETWORKS } from '../../../src/network/networks.ts';
import { textOf } from './markdown.ts';

/** The times in docs/partners/pass-life.md follow from the data of the networks. */

const page = textOf('docs/partners/pass-life.md');

/** Blocks of Solana until most validators have voted for a block. */
const SOLANA_CONFIRMATIONS = 4;

/** Returns the rows of the table below a heading: the networks that the first cell names, and the other cells. */
function rowsBelow(heading: string): { readonly networks: readonly Network[]; readonly cells: readonly string[] }[] {
  const [, section = ''] = page.split(`\n${heading}\n`);
  const [own = ''] = section.split(/^#/m);
  return own
    .split('\n')
    .filter((line) => /^\| `/.test(line))
    .map((line) => {
      const [first = '', ...cells] = line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim());
      const names = [...first.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
      return { networks: NETWORKS.filter(({ network }) => names.some((name) => isNamed(network, name))), cells };
    });
}

const isNamed = (network: string, name: string) =>
  name.endsWith('…') ? network.startsWith(name.slice(0, -1)) : network === name;

const seconds = (milliseconds: number) => Math.ceil(milliseconds / 1_000);

/** Returns the last time at which a public check still admits somebody after a loss: the watcher reads just before it is confirmed. */
function refusalMs(network: Network): number {
  const blocks = network.chain === 'ethereum' ? network.confirmations - 1 : SOLANA_CONFIRMATIONS;
  return blocks * network.blockMs + watchIntervalMs(network);
}

/** Returns the text about finality, without a time that does not follow from the data. */
function finalityOf(network: Network): string {
  if (network.chain === 'solana') return 'commitment `finalized`';
  const { final, blockMs } = network;
  if ('tag' in final) return `tag \`${final.tag}\``;
  const minutes = Math.round((final.depth * blockMs) / 60_000);
  return `${final.depth} blocks, about ${minutes} minute${minutes === 1 ? '' : 's'}`;
}

const finality = rowsBelow('## Finality');
const byOthers = rowsBelow('### Changes by others');

describe.each([
  ['Finality', finality],
  ['Changes by others', byOthers],
])('the table "%s"', (_, rows) => {
  it('has each network once', () => {
    const names = rows.flatMap(({ networks }) => networks.map(({ network }) => network));
    expect(names.toSorted()).toEqual(NETWORKS.map(({ network }) => network).toSorted());
  });

  it('says when a change is final', () => {
    for (const { networks, cells } of rows)
      for (const network of networks) expect(`${cells.at(-1)},`, network.network).toContain(`${finalityOf(network)},`);
  });
});

it('the table "Finality" has the usual time until a change is confirmed', () => {
  for (const { networks, cells } of finality) {
    const times = networks.map((network) => Math.round(expectedConfirmationMs(network) / 1_000));
    const [least, most] = [Math.min(...times), Math.max(...times)];
    expect(cells[1]).toBe(least === most ? `${most} s` : `${least} to ${most} s`);
    for (const network of networks) {
      if (network.chain === 'solana') continue;
      expect(cells[0]).toBe(`${network.confirmations} block${network.confirmations === 1 ? '' : 's'}`);
    }
  }
});

it('the table "Changes by others" has the interval of the watcher and the longest time until a public check refuses', () => {
  for (const { networks, cells } of byOthers) {
    expect(cells[0]).toBe(`${seconds(Math.max(...networks.map(watchIntervalMs)))} s`);
    expect(cells[1]).toBe(`${seconds(Math.max(...networks.map(refusalMs)))} s`);
  }
});

it('both tables say the same about finality', () => {
  expect(byOthers.map(({ cells }) => cells.at(-1))).toEqual(finality.map(({ cells }) => cells.at(-1)));
});

it('the interval is the one that the texts promise', () => {
  expect(page).toContain('another interval of 5 to 30 seconds');
  for (const network of NETWORKS) {
    expect(watchIntervalMs(network)).toBeGreaterThanOrEqual(5_000);
    expect(watchIntervalMs(network)).toBeLessThanOrEqual(30_000);
  }
});
