import { expect, it } from 'vitest';
import { NETWORKS } from '../../../src/network/networks.ts';
import { blocksOfFreezes } from '../../freeze-blocks.ts';
import { tableRows, textOf } from './markdown.ts';

/** The blocks that docs/partners/subjects.md promises for the freezes of a subject. A test of six networks has them. */

const [, section = ''] = textOf('docs/partners/subjects.md').split('\n### In which block\n');
const [own = ''] = section.split('\n## ');
const [, ...rows] = tableRows(own);
const numberIn = (cell = '') => Number(cell.replaceAll(',', ''));

it('follow from the room of each network', () => {
  expect(rows.length).toBeGreaterThan(2);
  for (const [passes, ethereum, solana] of rows.map((cells) => cells.map(numberIn)))
    for (const network of NETWORKS)
      expect(blocksOfFreezes(passes as number, network)).toBe(network.chain === 'ethereum' ? ethereum : solana);
});
