import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PROJECT_FILES } from '../../projects.ts';

/** `npm run test:all` runs every file of tests, in one project. */

const ROOT = join(import.meta.dirname, '../../..');
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' }).split(
  '\n',
);

it('each file of tests belongs to exactly one project', () => {
  const named = files.filter((file) => /[.-](test|spec)\.[jt]sx?$/.test(file) && !file.startsWith('test/packages/'));
  const found = Object.values(PROJECT_FILES).flatMap(({ include, exclude }) =>
    globSync([...include], { cwd: ROOT, exclude: [...exclude] }),
  );
  expect(named.length).toBeGreaterThan(500);
  expect(found.toSorted()).toEqual(named.toSorted());
});
