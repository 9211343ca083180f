import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readDeployedParts } from '../../../ops/deploy/deployed-parts.ts';
import { readNextRelease, readReleases } from '../../../ops/deploy/release-file.ts';
import { SECRET_NAMES } from '../../../ops/deploy/secret-names.ts';
import { RELEASE } from '../../../src/config/release.ts';
import { notesOf } from '../../../tools/release/changelog.ts';
import { releaseFaults } from '../../../tools/release/release-faults.ts';
import { textOf } from '../package-files.ts';

/** The releases are in order, and the code of today can become the next one. */

const PROJECT = join(import.meta.dirname, '../../..');
const releases = readReleases(PROJECT);
const newest = releases.at(-1);
const next = readNextRelease(PROJECT);
const parts = readDeployedParts(PROJECT, SECRET_NAMES);

it('the version of the code is that of the newest release', () => {
  // Before the first release, the code has the version of the candidate that comes.
  expect(RELEASE).toBe(newest?.version ?? '1.0.0-rc.1');
});

it('each release follows the one before it, and has its notes', () => {
  for (const [at, { version, parts, ...plan }] of releases.entries()) {
    const before = releases[at - 1];
    expect(before === undefined ? [] : releaseFaults(before.parts, parts, plan), version).toEqual([]);
    expect(notesOf(textOf('CHANGELOG.md'), version).size, version).toBeGreaterThan(0);
  }
});

it('ops/releases/next.json tells the operator what to do about each migration, binding, class, variable and secret since then', () => {
  expect(newest === undefined ? [] : releaseFaults(newest.parts, parts, next)).toEqual([]);
});

it('the parts of the code are complete', () => {
  expect(Object.keys(parts.migrations)).toContain('0001_baseline.sql');
  expect(Object.values(parts.classes).flat()).toContain('PassObject');
  expect(parts.bindings).toEqual(
    expect.arrayContaining(['DB (D1)', 'PASSES (PassObject)', 'PASS_QUEUE (queue)', 'READ_LIMIT (rate limit)']),
  );
  expect(parts.bindings).toContain('ASSETS (assets)');
  expect(parts.variables).toContain('TOKEN_ISSUER');
  expect(parts.secrets).toContain('RPC_ENDPOINTS');
});
