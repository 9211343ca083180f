import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/** The page about throttles has the numbers of the code. */

const PROJECT = join(import.meta.dirname, '../../..');
const read = (path: string): string => readFileSync(join(PROJECT, path), 'utf8');

/** A row of the page that names a number and where it stands. */
const ROWS = [
  ...read('docs/operators/throttles.md').matchAll(/^\| ([^|]+) \| (\d[^|]*) \|.* \| `([^`|]+)` `(\w+)` \|$/gm),
].map(([, throttle = '', number = '', file = '', name = '']) => ({ throttle, number, file, name }));

it('names the numbers of at least twenty throttles', () => {
  expect(ROWS.length).toBeGreaterThanOrEqual(20);
});

it.each(ROWS)('says of $throttle what $file says', ({ number, file, name }) => {
  const numbers = [...number.matchAll(/\d[\d,]*/g)].map(([digits]) => digits.replaceAll(',', ''));
  const text = read(file).replaceAll(/(?<=\d)_(?=\d)/g, '');
  const place =
    file === 'wrangler.toml' ? text.indexOf(`name = "${name}"`) : text.search(new RegExp(`const ${name}\\b`));
  const said = /[=:{][^;]*?(?:;|\n\n|$)/.exec(text.slice(place).replace(/^.*\n(?=namespace_id)/, ''))?.[0] ?? '';
  const found = [...said.matchAll(/(?<![\w"])\d+(?![\w"])/g)].map(([digits]) => digits);
  expect(place, `${name} in ${file}`).toBeGreaterThan(-1);
  expect(found).toContain(numbers[0]);
});
