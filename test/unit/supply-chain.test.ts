import { describe, expect, it } from 'vitest';
import {
  documentedPackagesOf,
  type Locked,
  type Lockfile,
  lockfile,
  type Manifest,
  manifest,
  manifestOf,
  nameOf,
  proofs,
  section,
  textOf,
  workspaces,
} from './package-files.ts';

const dependenciesOf = ({ dependencies, devDependencies, optionalDependencies }: Partial<Manifest>) => ({
  dependencies,
  devDependencies,
  optionalDependencies,
});
const versionsOf = ({ dependencies, devDependencies, optionalDependencies }: Partial<Manifest>) =>
  Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies });

/** Whether the version is three numbers with an optional label. Ranges, tags and addresses may name another package later. */
const isExact = (version: string) => /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(version);

const isOurs = (folder: string, { link, resolved }: Locked) =>
  link ? resolved !== undefined && workspaces[folder] === resolved : Object.values(workspaces).includes(folder);
const isInstalled = (folder: string) =>
  ['', ...Object.values(workspaces).map((workspace) => `${workspace}/`)].some((place) =>
    folder.startsWith(`${place}node_modules/`),
  );

/** Returns the fault of a locked package, such as a missing hash or a source outside the registry. */
function faultOf(folder: string, locked: Locked): string | undefined {
  const { integrity = '', resolved, link, name, version = '' } = locked;
  if (isOurs(folder, locked)) return undefined;
  if (link || !isInstalled(folder)) return 'from a folder';
  if (resolved !== undefined) return 'from an address';
  if (name !== undefined && name !== nameOf(folder)) return 'under the name of another';
  if (!isExact(version)) return 'without a version';
  if (!/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity)) return 'without a SHA-512';
  return undefined;
}

const packagesWithScripts = ({ packages }: Lockfile) => [
  ...new Set(Object.entries(packages).flatMap(([folder, it]) => (it.hasInstallScript ? [nameOf(folder)] : []))),
];

describe('package.json', () => {
  it('names an exact version of every package', () => {
    expect(versionsOf(manifest()).length).toBeGreaterThan(20);
    expect(versionsOf(manifest()).filter(([, version]) => !isExact(version))).toEqual([]);
  });

  it('overrides packages with exact versions or with its own versions', () => {
    const own = new Set(versionsOf(manifest()).map(([name]) => `$${name}`));
    const versions = Object.values(manifest().overrides).flatMap((it) =>
      typeof it === 'string' ? it : Object.values(it),
    );
    expect(versions.length).toBeGreaterThan(0);
    expect(versions.filter((version) => !isExact(version) && !own.has(version))).toEqual([]);
  });

  it.each(Object.values(workspaces))('names an exact version of every package of the workspace %s', (folder) => {
    expect(versionsOf(manifestOf(folder)).filter(([, version]) => !isExact(version))).toEqual([]);
    expect(manifestOf(folder).overrides ?? {}).toEqual({});
  });

  it.each(Object.values(workspaces).filter((folder) => !folder.startsWith('examples/')))(
    'publishes the workspace %s with its provenance and its code',
    (folder) => {
      expect(manifestOf(folder).private).toBeUndefined();
      // Without its scripts, npm would publish a package that has no code.
      expect(manifestOf(folder).publishConfig).toEqual({ access: 'public', provenance: true, 'ignore-scripts': false });
      expect(manifestOf(folder).scripts?.prepack).toBe('node ../../tools/packages/prepack.ts');
    },
  );

  it.each(Object.values(workspaces).filter((folder) => folder.startsWith('examples/')))(
    'never publishes the example %s',
    (folder) => {
      expect(manifestOf(folder).private).toBe(true);
    },
  );

  it.each(['^1.0.0', '~1.0.0', '>=1.0.0', '1.x', '1.0', '*', '', 'latest', '1.0.0 || 2.0.0', 'npm:other@1.0.0'])(
    'may not contain a range, a tag or an alias like "%s"',
    (version) => {
      expect(isExact(version)).toBe(false);
    },
  );

  it.each(['https://a.example/a.tgz', 'git+ssh://a.example/a.git', 'github:a/a', 'file:../a', 'workspace:1.0.0'])(
    'may not contain an address like %s',
    (version) => {
      expect(isExact(version)).toBe(false);
    },
  );
});

describe('package-lock.json', () => {
  const { '': root = {}, ...packages } = lockfile().packages;

  it('contains the SHA-512 of every package, and no package from git, a URL or a folder or with another name', () => {
    expect(Object.keys(packages).length).toBeGreaterThan(400);
    const complaints = Object.entries(packages).map(([folder, it]) => [folder, faultOf(folder, it)]);
    expect(complaints.filter(([, why]) => why !== undefined)).toEqual([]);
    expect(lockfile().lockfileVersion).toBe(3);
  });

  it('excludes Node 20 for no package, because npm would warn or leave it out, and the commands run in Node 24', () => {
    const nodes = Object.entries(packages).flatMap(([folder, { engines }]) =>
      engines !== undefined && 'node' in engines ? [[folder, engines.node] as const] : [],
    );
    const oldestOf = (node: string) =>
      Math.min(...node.split('||').map((range) => Number(/\d+/.exec(range)?.[0] ?? 0)));
    expect(nodes.length).toBeGreaterThan(500);
    expect(nodes.filter(([, node]) => oldestOf(node) > 20)).toEqual([]);
  });

  it('agrees with package.json on the packages of the project and their versions', () => {
    expect(dependenciesOf(root)).toEqual(dependenciesOf(manifest()));
    expect(
      versionsOf(manifest()).filter(([name, version]) => packages[`node_modules/${name}`]?.version !== version),
    ).toEqual([]);
  });

  it.each(Object.values(workspaces))('agrees with the package.json of the workspace %s', (folder) => {
    const found = (name: string) => {
      const entry = packages[`${folder}/node_modules/${name}`] ?? packages[`node_modules/${name}`];
      return entry?.link ? packages[entry.resolved ?? ''] : entry;
    };
    expect(dependenciesOf(packages[folder] ?? {})).toEqual(dependenciesOf(manifestOf(folder)));
    expect(versionsOf(manifestOf(folder)).filter(([name, version]) => found(name)?.version !== version)).toEqual([]);
  });

  const good = { version: '1.0.0', integrity: `sha512-${'A'.repeat(86)}==` };
  it.each`
    folder                              | entry                                                                | why
    ${'packages/client'}                | ${{ name: '@gatepass/client', version: '0.1.0' }}                    | ${undefined}
    ${'node_modules/@gatepass/client'}  | ${{ resolved: 'packages/client', link: true }}                       | ${undefined}
    ${'packages/client/node_modules/a'} | ${good}                                                              | ${undefined}
    ${'packages/client/node_modules/a'} | ${{ version: '1.0.0' }}                                              | ${'without a SHA-512'}
    ${'packages/client/node_modules/a'} | ${{ resolved: 'packages/client', link: true }}                       | ${'from a folder'}
    ${'packages/client/a'}              | ${good}                                                              | ${'from a folder'}
    ${'other/node_modules/a'}           | ${good}                                                              | ${'from a folder'}
    ${'node_modules/@gatepass/client'}  | ${{ resolved: '../client', link: true }}                             | ${'from a folder'}
    ${'node_modules/@gatepass/other'}   | ${{ resolved: 'packages/client', link: true }}                       | ${'from a folder'}
    ${'node_modules/a'}                 | ${good}                                                              | ${undefined}
    ${'node_modules/a'}                 | ${{ version: '1.0.0' }}                                              | ${'without a SHA-512'}
    ${'node_modules/a'}                 | ${{ ...good, integrity: 'sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA=' }}       | ${'without a SHA-512'}
    ${'node_modules/a'}                 | ${{ integrity: good.integrity }}                                     | ${'without a version'}
    ${'node_modules/a'}                 | ${{ ...good, resolved: 'https://registry.example/a/-/a-1.0.0.tgz' }} | ${'from an address'}
    ${'node_modules/a'}                 | ${{ ...good, resolved: 'git+ssh://git@a.example/a.git#0123456' }}    | ${'from an address'}
    ${'node_modules/a'}                 | ${{ resolved: 'packages/a', link: true }}                            | ${'from a folder'}
    ${'packages/a'}                     | ${{ version: '1.0.0' }}                                              | ${'from a folder'}
    ${'node_modules/a'}                 | ${{ ...good, name: 'b' }}                                            | ${'under the name of another'}
  `('returns the fault $why for the entry $entry of $folder', ({ folder, entry, why }) => {
    expect(faultOf(folder, entry)).toBe(why);
  });
});

describe.each(proofs)('test/packages/%s', (proof) => {
  const folder = `test/packages/${proof}`;
  const own: Lockfile = JSON.parse(textOf(`${folder}/package-lock.json`));
  const { '': root = {}, ...packages } = own.packages;

  it('is installed by its own command only, under the same rules', () => {
    expect(manifest().workspaces).not.toContain(folder);
    expect(lockfile().packages[folder]).toBeUndefined();
    expect(textOf(`${folder}/.npmrc`)).toBe(textOf('.npmrc'));
    expect(manifestOf(folder).private).toBe(true);
  });

  it('names an exact version of every package, and the SHA-512 of each locked one', () => {
    expect(dependenciesOf(root)).toEqual(dependenciesOf(manifestOf(folder)));
    expect(versionsOf(manifestOf(folder)).filter(([, version]) => !isExact(version))).toEqual([]);
    expect(Object.keys(packages).length).toBeGreaterThanOrEqual(versionsOf(manifestOf(folder)).length);
    const complaints = Object.entries(packages).map(([name, it]) => [name, faultOf(name, it)]);
    expect(complaints.filter(([, why]) => why !== undefined)).toEqual([]);
  });
});

describe('install scripts', () => {
  it('are off for every package in every version of npm', () => {
    expect(textOf('.npmrc').split('\n')).toContain('ignore-scripts=true');
  });

  it('are refused by name for each package that has one, and for no other package', () => {
    const refused = Object.fromEntries(packagesWithScripts(lockfile()).map((name) => [name, false]));
    expect(manifest().allowScripts).toEqual(refused);
  });

  it('are found anywhere in the tree of packages', () => {
    const packages = { 'node_modules/a': {}, 'node_modules/a/node_modules/@b/c': { hasInstallScript: true } };
    expect(packagesWithScripts({ lockfileVersion: 3, packages })).toEqual(['@b/c']);
  });
});

describe('.npmrc', () => {
  it('saves exact versions and names neither a registry nor a token', () => {
    const settings = textOf('.npmrc')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith(';'));
    expect(settings).toEqual([
      'ignore-scripts=true',
      'save-exact=true',
      'omit-lockfile-registry-resolved=true',
      'pack-destination=use-npm-run-packages',
    ]);
  });
});

describe('docs/dependencies.md', () => {
  const text = textOf('docs/dependencies.md');
  const production = documentedPackagesOf(section(text, 'Packages in production'));
  const client = documentedPackagesOf(section(text, 'Packages of the client'));
  const dapp = documentedPackagesOf(section(text, 'Packages of the example dApp'));
  const named = (dependencies: Readonly<Record<string, string>> = {}) =>
    Object.entries(dependencies).map(([name, version]) => `${name} ${version}`);

  it('lists exactly the runtime dependencies, in their versions', () => {
    const [, toRun = ''] = section(text, 'Packages to run it').split('no development packages: ');
    const alsoToRun = [...(toRun.split('. Only')[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
    const ofBundle = Object.entries(manifest().dependencies).filter(([name]) => !alsoToRun.includes(name));
    expect(production.chosen.toSorted()).toEqual(named(Object.fromEntries(ofBundle)).toSorted());
    expect(alsoToRun.filter((name) => !Object.hasOwn(manifest().dependencies, name))).toEqual([]);
    expect(client.chosen.toSorted()).toEqual(named(manifestOf('packages/client').dependencies).toSorted());
    const ofDapp = named(manifestOf('examples/dapp').dependencies).filter((name) => !name.startsWith('@gatepass/'));
    expect(dapp.chosen.toSorted()).toEqual(ofDapp.toSorted());
  });

  it('lists the transitive dependencies of the client', () => {
    const { packages } = lockfile();
    const along = new Set<string>();
    const follow = (names: readonly string[]) => {
      for (const name of names) {
        if (along.has(name)) continue;
        along.add(name);
        follow(Object.keys(packages[`node_modules/${name}`]?.dependencies ?? {}));
      }
    };
    const chosen = Object.keys(manifestOf('packages/client').dependencies ?? {});
    follow(chosen);
    const rest = [...along].filter((name) => !chosen.includes(name));
    expect(client.along.toSorted()).toEqual(
      rest.map((name) => `${name} ${packages[`node_modules/${name}`]?.version}`).toSorted(),
    );
  });

  it('gives a reason for each package', () => {
    expect([production, client, dapp].flatMap(({ withoutReason }) => withoutReason)).toEqual([]);
  });

  it('is parsed cell by cell', () => {
    const text = `
| package | for | instead of |
|---|---|---|
| \`a\` 1.0.0 (\`a/b\` 2 only) | this | |

| package | through | for |
|---|---|---|
| \`@c/d\` 1.2.3, \`e\` 0.0.1 | \`a\` | that |
`;
    expect(documentedPackagesOf(text)).toEqual({
      chosen: ['a 1.0.0'],
      along: ['@c/d 1.2.3', 'e 0.0.1'],
      withoutReason: [['`a` 1.0.0 (`a/b` 2 only)', 'this', '']],
    });
  });
});
