import { expect, it } from 'vitest';
import { RELEASE } from '../../../src/config/release.ts';
import { lockfile, textOf } from '../package-files.ts';

it('has the version of package.json and its lockfile', () => {
  expect(RELEASE).toBe(JSON.parse(textOf('package.json')).version);
  expect(RELEASE).toBe(lockfile().packages['']?.version);
});
