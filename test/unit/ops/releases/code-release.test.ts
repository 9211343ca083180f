import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { namingArgs, readCodeRelease } from '../../../../ops/deploy/code-release.ts';
import { EMPTY_NEXT, type Release } from '../../../../ops/deploy/release-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'gatepass-code-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Returns a checkout with these releases. */
function checkout(name: string, ...versions: string[]): string {
  const project = join(folder, name);
  mkdirSync(join(project, 'ops/releases'), { recursive: true });
  for (const [at, version] of versions.entries()) {
    const release: Release = {
      version,
      previous: versions[at - 1] ?? null,
      meaning: { partners: 'A.', operators: 'B.', developers: 'C.' },
      operatorSteps: [],
      parts: { migrations: {}, classes: {}, bindings: [], variables: [], secrets: [] },
    };
    writeFileSync(join(project, 'ops/releases', `${version}.json`), JSON.stringify(release));
  }
  writeFileSync(join(project, 'ops/releases', 'next.json'), JSON.stringify({ ...EMPTY_NEXT, operatorSteps: ['D.'] }));
  return project;
}

it('names a release without git, and the one before it', () => {
  const project = checkout('plain', '1.0.0-rc.1', '1.0.0');
  const unknown = { commit: 'unknown' };
  expect(readCodeRelease(project, '1.0.0')).toEqual({
    release: '1.0.0',
    previous: '1.0.0-rc.1',
    tag: '1.0.0',
    operatorSteps: [],
    ...unknown,
  });
  expect(readCodeRelease(project, '1.0.0-rc.1')).toMatchObject({ previous: undefined });
  expect(readCodeRelease(project, '1.0.1-rc.1')).toMatchObject({
    previous: '1.0.0',
    tag: '1.0.1-rc.1',
    operatorSteps: ['D.'],
  });
});

it('names a release only if the checkout is its commit, and otherwise also the commit', () => {
  const project = checkout('repository', '1.0.0');
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...args], {
      cwd: project,
      encoding: 'utf8',
    }).trim();
  git('init', '--quiet');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'one');
  const commit = git('rev-parse', '--short=10', 'HEAD');
  const read = () => readCodeRelease(project, '1.0.0');
  expect(read()).toMatchObject({ commit, tag: `1.0.0-${commit}` });
  git('tag', 'v1.0.0');
  expect(read()).toMatchObject({ commit, tag: '1.0.0' });
  writeFileSync(join(project, 'more'), '');
  expect(read()).toMatchObject({ commit: `${commit}-changed`, tag: `1.0.0-${commit}-changed` });
});

it('gives wrangler the tag, the message and the variables', () => {
  expect(
    namingArgs({ release: '1.0.1', previous: '1.0.0', commit: 'abc', tag: '1.0.1-abc', operatorSteps: [] }),
  ).toEqual([
    ...['--tag', '1.0.1-abc', '--message', 'Gatepass 1.0.1, commit abc'],
    ...['--var', 'RELEASE:1.0.1', '--var', 'RELEASE_BEFORE:1.0.0', '--var', 'COMMIT:abc'],
  ]);
});
