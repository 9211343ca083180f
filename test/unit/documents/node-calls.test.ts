import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/** The table of the calls of a node, from which an operator chooses a provider. */

const ROOT = join(import.meta.dirname, '../../..');
const FOLDER = join(ROOT, 'src/chain/ethereum');

it('the configuration page lists every call of an Ethereum-type node', () => {
  const page = readFileSync(join(ROOT, 'docs/operators/configuration.md'), 'utf8');
  const [, table = ''] = page.split('### Calls of an Ethereum-type node\n');
  const rows =
    table
      .split('\n## ')[0]
      ?.split('\n')
      .filter((line) => line.startsWith('| `')) ?? [];
  const listed = new Set(rows.flatMap((row) => row.split(' | ')[0]?.match(/\beth_\w+/g) ?? []));
  const sources = readdirSync(FOLDER).map((file) => readFileSync(join(FOLDER, file), 'utf8'));
  const used = new Set(sources.flatMap((source) => source.match(/(?<=method: ')eth_\w+/g) ?? []));
  expect(listed).toEqual(used);
});
