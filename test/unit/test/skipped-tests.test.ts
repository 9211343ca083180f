import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, matchesGlob } from 'node:path';
import { expect, it } from 'vitest';
import { anvilPackageFor } from '../../../tools/localnet/ethereum/start-node.ts';
import { skippedTests } from '../../skipped-tests.ts';
import { lockfile, manifest } from '../package-files.ts';

const PROJECT = join(import.meta.dirname, '../../..');
const files = readdirSync(join(PROJECT, 'test/system'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => join('test/system', file));

/** Whether a file, or a file that it imports, imports another one. */
function reaches(file: string, target: string, seen = new Set<string>()): boolean {
  if (file === target) return true;
  if (seen.has(file) || !file.startsWith('test/')) return false;
  seen.add(file);
  const imports = readFileSync(join(PROJECT, file), 'utf8').matchAll(/\bfrom '(\.[^']+)'/g);
  return [...imports].some(([, path = '']) => reaches(join(dirname(file), path), target, seen));
}

const skippedOn = (platform: string, arch: string) =>
  files.filter((file) =>
    skippedTests(platform, arch, true).some((each) => each.files.some((glob) => matchesGlob(file, glob))),
  );

it('Linux on x86-64 skips no test, and without LibreOffice only the one that starts it', () => {
  expect(skippedTests('linux', 'x64', true)).toEqual([]);
  const [office, ...others] = skippedTests('linux', 'x64', false);
  expect(others).toEqual([]);
  for (const file of office?.files ?? []) expect(readFileSync(join(PROJECT, file), 'utf8')).toContain('findOffice()');
});

it('other machines skip exactly the tests that start the browser', () => {
  const browser = files.filter((file) => reaches(file, 'test/system/chromium.ts'));
  expect(browser.length).toBeGreaterThan(5);
  expect(browser.filter((file) => !skippedOn('linux', 'arm64').includes(file))).toEqual([]);
  for (const { files: globs, why } of skippedTests('linux', 'arm64', true)) {
    expect(why).toMatch(/\S/);
    for (const glob of globs)
      expect(
        files.some((file) => matchesGlob(file, glob)),
        glob,
      ).toBe(true);
  }
});

it('macOS also skips the benchmarks, and nothing else', () => {
  const more = skippedOn('darwin', 'arm64').filter((file) => !skippedOn('linux', 'arm64').includes(file));
  expect(more.length).toBeGreaterThan(0);
  expect(more.filter((file) => !file.startsWith('test/system/tools/bench/'))).toEqual([]);
});

it.each(['linux arm64', 'darwin arm64'])(
  'each package with a program for Linux on x86-64 has one for %s too',
  (machine) => {
    const [os = '', cpu = ''] = machine.split(' ');
    const programs = Object.entries(
      lockfile().packages as Record<string, { os?: string | string[]; cpu?: string | string[] }>,
    );
    const of = (system: string, processor: string) =>
      programs.flatMap(([name, each]) => {
        const isFor = `${[each.os].flat()} ${[each.cpu].flat()}` === `${system} ${processor}` && !name.includes('musl');
        return isFor ? [name.replace(/(linux|darwin).*$/, '')] : [];
      });
    const lacking = of('linux', 'x64').filter((name) => !of(os, cpu).includes(name));
    // There is no package with Node for macOS.
    expect(lacking).toEqual(os === 'darwin' ? ['node_modules/node-'] : []);
    expect(of('linux', 'x64').length).toBeGreaterThan(10);
  },
);

it.each([
  ['linux', 'x64'],
  ['linux', 'arm64'],
  ['darwin', 'x64'],
  ['darwin', 'arm64'],
])('%s on %s gets anvil, and on Linux Node, from the lockfile', (platform, arch) => {
  const { packages } = lockfile();
  const locked = (name: string) => packages[`node_modules/${name}`] as Record<string, unknown> | undefined;
  const names = [anvilPackageFor(platform, arch), ...(platform === 'linux' ? [`node-linux-${arch}`] : [])];
  for (const name of names) {
    expect(Object.keys(manifest().optionalDependencies)).toContain(name);
    expect([locked(name)?.os, locked(name)?.cpu].flat(), name).toEqual([platform, arch]);
  }
  const versions = names.map((name) => locked(name)?.version);
  expect(versions).toEqual(names.map((name) => manifest().optionalDependencies[name]));
  expect(new Set(Object.keys(manifest().optionalDependencies).map((name) => /anvil|node/.exec(name)?.[0])).size).toBe(
    2,
  );
});
