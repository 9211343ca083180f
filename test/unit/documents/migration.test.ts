import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { codeBlocks, textOf } from './markdown.ts';

/**
 * A page for Civic's React packages runs with `@gatepass/react` after a change of its imports and of its provider's settings.
 * `npm run test:packages -- civic-react` has run both pages.
 */

const FOLDER = 'test/packages/civic-react';
const recorded = JSON.parse(textOf(`${FOLDER}/migration.json`));
const linesOf = (file: string) => textOf(`${FOLDER}/${file}`).trimEnd().split('\n');

interface Change {
  readonly sign: '-' | '+' | ' ';
  readonly line: string;
}

/** Returns the lines of both texts in order, the longest common subsequence with a space before them. */
function changesBetween(before: readonly string[], after: readonly string[]): Change[] {
  const length = Array.from({ length: before.length + 1 }, () => new Array<number>(after.length + 1).fill(0));
  const at = (i: number, j: number) => length[i]?.[j] ?? 0;
  for (let i = before.length - 1; i >= 0; i -= 1)
    for (let j = after.length - 1; j >= 0; j -= 1) {
      const row = length[i] as number[];
      row[j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  const changes: Change[] = [];
  for (let i = 0, j = 0; i < before.length || j < after.length; ) {
    const [old, fresh] = [before[i], after[j]];
    if (old !== undefined && old === fresh) {
      changes.push({ sign: ' ', line: old });
      i += 1;
      j += 1;
    } else if (old !== undefined && (fresh === undefined || at(i + 1, j) >= at(i, j + 1))) {
      changes.push({ sign: '-', line: old });
      i += 1;
    } else {
      changes.push({ sign: '+', line: String(fresh) });
      j += 1;
    }
  }
  return changes;
}

const changed = (changes: readonly Change[]) =>
  changes.flatMap(({ sign, line }) => (sign === ' ' ? [] : [`${sign}${line}`]));

/** The places that a migration changes: an import, a setting above the components, the tag of the provider and its attributes. */
const PLACES = [
  /^import .* from '[^']+';$/,
  /^const \w+ = .*;$/,
  /^ {4}<GatewayProvider\b.*>?$/,
  /^ {6}\w+=\{.*\}$/,
  /^ {4}>$/,
];

describe.each(['ethereum', 'solana'] as const)('the page for the package of %s', (chain) => {
  const [before, after] = [linesOf(`${chain}-before.jsx`), linesOf(`${chain}-after.jsx`)];
  const changes = changesBetween(before, after);

  it('differs from the migrated one only in imports and in the settings of the provider', () => {
    const lines = changed(changes);
    expect(lines.length).toBeGreaterThan(4);
    expect(lines.filter((line) => !PLACES.some((place) => place.test(line.slice(1))))).toEqual([]);
    const [from] = before;
    expect(from).toBe(
      `import { GatewayProvider, GatewayStatus, IdentityButton, useGateway } from '@civic/${chain}-gateway-react';`,
    );
    expect(after.join('\n')).not.toContain('@civic/');
  });

  it('keeps its components as they are', () => {
    const members = (lines: readonly string[]) => {
      const start = lines.indexOf('function Members() {');
      return lines.slice(start, lines.indexOf('}', start) + 1);
    };
    expect(members(after)).toEqual(members(before));
    expect(members(before).length).toBeGreaterThan(10);
  });

  it('is in the guide with exactly these changes', () => {
    const blocks = codeBlocks(textOf('docs/partners/from-civic.md'), 'diff').map((block) =>
      block.trimEnd().split('\n'),
    );
    const shown = blocks.map((block) => block.filter((line) => /^[-+]/.test(line)));
    expect(shown).toContainEqual(changed(changes));
  });

  it('was run after the migration: it follows the life of a pass, and asks no other host', () => {
    const { stages, hosts, faults } = recorded[chain];
    const statuses = Object.entries(stages as Record<string, { status: string; members: boolean }>).map(
      ([stage, { status, members }]) => `${stage}: ${status}, ${members ? 'admitted' : 'refused'}`,
    );
    expect(statuses).toEqual([
      'none: NOT_REQUESTED, refused',
      'issued: ACTIVE, admitted',
      'frozen: FROZEN, refused',
      'unfrozen: ACTIVE, admitted',
      'revoked: REVOKED, refused',
    ]);
    expect([hosts, faults]).toEqual([['127.0.0.1'], []]);
  });
});

it('the recorded run is that of the present pages', () => {
  const hashes = Object.entries(recorded.files as Record<string, string>);
  expect(hashes).toHaveLength(4);
  for (const [file, hash] of hashes)
    expect(
      createHash('sha256')
        .update(textOf(`${FOLDER}/${file}`))
        .digest('hex'),
      file,
    ).toBe(hash);
});

it('changes between texts are found line by line', () => {
  const changes = changesBetween(['a', 'b', 'c', 'd'], ['a', 'x', 'c', 'd', 'e']);
  expect(changed(changes)).toEqual(['-b', '+x', '+e']);
});
