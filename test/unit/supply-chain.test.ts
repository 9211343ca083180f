import { describe, expect, it } from 'vitest';
import {
  documented,
  type Locked,
  type Lockfile,
  lockfile,
  type Manifest,
  manifest,
  manifestOf,
  nameOf,
  section,
  textOf,
  workspaces,
} from './packages.ts';

const wishes = ({ dependencies, devDependencies, optionalDependencies }: Partial<Manifest>) => ({
  dependencies,
  devDependencies,
  optionalDependencies,
});
const declared = ({ dependencies, devDependencies, optionalDependencies }: Partial<Manifest>) =>
  Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies });

/** Three numbers, perhaps with a label; a range, a tag, an alias or an address takes whatever is there that day. */
const isExact = (version: string) => /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(version);

const isOurs = (folder: string, { link, resolved }: Locked) =>
  link ? resolved !== undefined && workspaces[folder] === resolved : Object.values(workspaces).includes(folder);
const isInstalled = (folder: string) =>
  ['', ...Object.values(workspaces).map((workspace) => `${workspace}/`)].some((place) =>
    folder.startsWith(`${place}node_modules/`),
  );

/** What is wrong with a package of the lockfile: without its hash, or from where the registry's rules do not hold. */
function complaint(folder: string, locked: Locked): string | undefined {
  const { integrity = '', resolved, link, name, version = '' } = locked;
  if (isOurs(folder, locked)) return undefined;
  if (link || !isInstalled(folder)) return 'from a folder';
  if (resolved !== undefined) return 'from an address';
  if (name !== undefined && name !== nameOf(folder)) return 'under the name of another';
  if (!isExact(version)) return 'without a version';
  if (!/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity)) return 'without a SHA-512';
  return undefined;
}

const withScripts = ({ packages }: Lockfile) => [
  ...new Set(Object.entries(packages).flatMap(([folder, it]) => (it.hasInstallScript ? [nameOf(folder)] : []))),
];

describe('package.json', () => {
  it('names every package in one exact version', () => {
    expect(declared(manifest()).length).toBeGreaterThan(20);
    expect(declared(manifest()).filter(([, version]) => !isExact(version))).toEqual([]);
  });

  it('overrides with exact versions, or those of its own', () => {
    const own = new Set(declared(manifest()).map(([name]) => `$${name}`));
    const versions = Object.values(manifest().overrides).flatMap((it) =>
      typeof it === 'string' ? it : Object.values(it),
    );
    expect(versions.length).toBeGreaterThan(0);
    expect(versions.filter((version) => !isExact(version) && !own.has(version))).toEqual([]);
  });

  it.each(Object.values(workspaces))(
    'of the workspace %s does the same, and keeps the package from being published',
    (folder) => {
      expect(declared(manifestOf(folder)).filter(([, version]) => !isExact(version))).toEqual([]);
      expect(manifestOf(folder).overrides ?? {}).toEqual({});
      expect(manifestOf(folder).private).toBe(true);
    },
  );

  it.each(['^1.0.0', '~1.0.0', '>=1.0.0', '1.x', '1.0', '*', '', 'latest', '1.0.0 || 2.0.0', 'npm:other@1.0.0'])(
    'would not pass with the range, tag or alias "%s"',
    (version) => {
      expect(isExact(version)).toBe(false);
    },
  );

  it.each(['https://a.example/a.tgz', 'git+ssh://a.example/a.git', 'github:a/a', 'file:../a', 'workspace:1.0.0'])(
    'would not pass with the address %s',
    (version) => {
      expect(isExact(version)).toBe(false);
    },
  );
});

describe('package-lock.json', () => {
  const { '': root = {}, ...packages } = lockfile().packages;

  it('holds every package with its SHA-512, and none from git, a URL, a folder or under the name of another', () => {
    expect(Object.keys(packages).length).toBeGreaterThan(400);
    const complaints = Object.entries(packages).map(([folder, it]) => [folder, complaint(folder, it)]);
    expect(complaints.filter(([, why]) => why !== undefined)).toEqual([]);
    expect(lockfile().lockfileVersion).toBe(3);
  });

  it('agrees with package.json on what the project wants, and in which version', () => {
    expect(wishes(root)).toEqual(wishes(manifest()));
    expect(
      declared(manifest()).filter(([name, version]) => packages[`node_modules/${name}`]?.version !== version),
    ).toEqual([]);
  });

  it.each(Object.values(workspaces))('agrees with the package.json of the workspace %s', (folder) => {
    const found = (name: string) => packages[`${folder}/node_modules/${name}`] ?? packages[`node_modules/${name}`];
    expect(wishes(packages[folder] ?? {})).toEqual(wishes(manifestOf(folder)));
    expect(declared(manifestOf(folder)).filter(([name, version]) => found(name)?.version !== version)).toEqual([]);
  });

  const good = { version: '1.0.0', integrity: `sha512-${'A'.repeat(86)}==` };
  it.each`
    folder                             | entry                                                                | why
    ${'client'}                        | ${{ name: '@gatepass/client', version: '0.1.0' }}                    | ${undefined}
    ${'node_modules/@gatepass/client'} | ${{ resolved: 'client', link: true }}                                | ${undefined}
    ${'client/node_modules/a'}         | ${good}                                                              | ${undefined}
    ${'client/node_modules/a'}         | ${{ version: '1.0.0' }}                                              | ${'without a SHA-512'}
    ${'client/node_modules/a'}         | ${{ resolved: 'client', link: true }}                                | ${'from a folder'}
    ${'client/a'}                      | ${good}                                                              | ${'from a folder'}
    ${'other/node_modules/a'}          | ${good}                                                              | ${'from a folder'}
    ${'node_modules/@gatepass/client'} | ${{ resolved: '../client', link: true }}                             | ${'from a folder'}
    ${'node_modules/@gatepass/other'}  | ${{ resolved: 'client', link: true }}                                | ${'from a folder'}
    ${'node_modules/a'}                | ${good}                                                              | ${undefined}
    ${'node_modules/a'}                | ${{ version: '1.0.0' }}                                              | ${'without a SHA-512'}
    ${'node_modules/a'}                | ${{ ...good, integrity: 'sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA=' }}       | ${'without a SHA-512'}
    ${'node_modules/a'}                | ${{ integrity: good.integrity }}                                     | ${'without a version'}
    ${'node_modules/a'}                | ${{ ...good, resolved: 'https://registry.example/a/-/a-1.0.0.tgz' }} | ${'from an address'}
    ${'node_modules/a'}                | ${{ ...good, resolved: 'git+ssh://git@a.example/a.git#0123456' }}    | ${'from an address'}
    ${'node_modules/a'}                | ${{ resolved: 'packages/a', link: true }}                            | ${'from a folder'}
    ${'packages/a'}                    | ${{ version: '1.0.0' }}                                              | ${'from a folder'}
    ${'node_modules/a'}                | ${{ ...good, name: 'b' }}                                            | ${'under the name of another'}
  `('$folder $entry: $why', ({ folder, entry, why }) => {
    expect(complaint(folder, entry)).toBe(why);
  });
});

describe('install scripts', () => {
  it('run for no package, whichever npm installs', () => {
    expect(textOf('.npmrc').split('\n')).toContain('ignore-scripts=true');
  });

  it('are refused by name for each package that has one, and for no other', () => {
    const refused = Object.fromEntries(withScripts(lockfile()).map((name) => [name, false]));
    expect(manifest().allowScripts).toEqual(refused);
  });

  it('are noticed wherever the package lies in the tree', () => {
    const packages = { 'node_modules/a': {}, 'node_modules/a/node_modules/@b/c': { hasInstallScript: true } };
    expect(withScripts({ lockfileVersion: 3, packages })).toEqual(['@b/c']);
  });
});

describe('.npmrc', () => {
  it('adds exact versions, and names neither a registry nor a token', () => {
    const settings = textOf('.npmrc')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith(';'));
    expect(settings).toEqual(['ignore-scripts=true', 'save-exact=true', 'omit-lockfile-registry-resolved=true']);
  });
});

describe('docs/dependencies.md', () => {
  const text = textOf('docs/dependencies.md');
  const production = documented(section(text, 'What runs in production'));
  const client = documented(section(text, 'What the client brings along'));
  const named = (dependencies: Readonly<Record<string, string>> = {}) =>
    Object.entries(dependencies).map(([name, version]) => `${name} ${version}`);

  it('lists exactly the runtime dependencies, in their versions', () => {
    expect(production.chosen.toSorted()).toEqual(named(manifest().dependencies).toSorted());
    expect(client.chosen.toSorted()).toEqual(named(manifestOf('client').dependencies).toSorted());
  });

  it('lists what the dependencies of the client bring along', () => {
    const { packages } = lockfile();
    const along = new Set<string>();
    const follow = (names: readonly string[]) => {
      for (const name of names) {
        if (along.has(name)) continue;
        along.add(name);
        follow(Object.keys(packages[`node_modules/${name}`]?.dependencies ?? {}));
      }
    };
    const chosen = Object.keys(manifestOf('client').dependencies ?? {});
    follow(chosen);
    const rest = [...along].filter((name) => !chosen.includes(name));
    expect(client.along.toSorted()).toEqual(
      rest.map((name) => `${name} ${packages[`node_modules/${name}`]?.version}`).toSorted(),
    );
  });

  it('gives the reason for each', () => {
    expect([...production.withoutReason, ...client.withoutReason]).toEqual([]);
  });

  it('is read cell by cell', () => {
    const text = `
| package | for | instead of |
|---|---|---|
| \`a\` 1.0.0 (\`a/b\` 2 only) | this | |

| package | through | for |
|---|---|---|
| \`@c/d\` 1.2.3, \`e\` 0.0.1 | \`a\` | that |
`;
    expect(documented(text)).toEqual({
      chosen: ['a 1.0.0'],
      along: ['@c/d 1.2.3', 'e 0.0.1'],
      withoutReason: [['`a` 1.0.0 (`a/b` 2 only)', 'this', '']],
    });
  });
});
