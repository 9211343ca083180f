import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  documented,
  type Locked,
  type Lockfile,
  lockfile,
  type Manifest,
  manifest,
  nameOf,
  textOf,
} from './packages.ts';

const DOCS = join(import.meta.dirname, '../docs');
/** Where commands stand that somebody runs. */
const COMMANDS = [
  'README.md',
  'CHANGELOG.md',
  '.ci/run',
  ...readdirSync(DOCS, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`),
];

const wishes = ({ dependencies, devDependencies, optionalDependencies }: Partial<Manifest>) => ({
  dependencies,
  devDependencies,
  optionalDependencies,
});
const declared = ({ dependencies, devDependencies, optionalDependencies }: Manifest) =>
  Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies });

/** Three numbers, perhaps with a label; a range, a tag, an alias or an address takes whatever is there that day. */
const isExact = (version: string) => /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(version);

/** What is wrong with a package of the lockfile: without its hash, or from where the registry's rules do not hold. */
function complaint(folder: string, { integrity = '', resolved, link, name, version = '' }: Locked): string | undefined {
  if (link || !folder.startsWith('node_modules/')) return 'from a folder';
  if (resolved !== undefined) return 'from an address';
  if (name !== undefined && name !== nameOf(folder)) return 'under the name of another';
  if (!isExact(version)) return 'without a version';
  if (!/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity)) return 'without a SHA-512';
  return undefined;
}

/** Commands that install or run what the lockfile does not hold. */
function unlocked(text: string, programs: ReadonlySet<string>): string[] {
  const npm = /\b(?:npm (?:--?\S+ )*(?:i|install|add|update|upgrade|exec|x|init|create)|yarn|pnpm|bunx?)\b[^`\n&;|]*/g;
  const npx = /\bnpx ((?:-\S+ )*)([^\s`'"]+)/g;
  return [
    // It makes a lockfile and installs nothing.
    ...[...text.matchAll(npm)].map(([command]) => command.trim()).filter((it) => !/ --package-lock-only$/.test(it)),
    ...[...text.matchAll(npx)]
      .filter(([, flags = '', program = '']) => !/^(--no-install )?$/.test(flags) || !programs.has(program))
      .map(([command]) => command),
  ];
}

/** Names of the programs that `npx` finds: those of packages at the top of the tree. */
const programsOf = ({ packages }: Lockfile) =>
  new Set(
    Object.entries(packages).flatMap(([folder, { bin = {} }]) =>
      folder === `node_modules/${nameOf(folder)}` ? Object.keys(bin) : [],
    ),
  );

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
    expect(Object.values(manifest().overrides).filter((version) => !isExact(version) && !own.has(version))).toEqual([]);
  });

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

  const good = { version: '1.0.0', integrity: `sha512-${'A'.repeat(86)}==` };
  it.each`
    folder              | entry                                                                | why
    ${'node_modules/a'} | ${good}                                                              | ${undefined}
    ${'node_modules/a'} | ${{ version: '1.0.0' }}                                              | ${'without a SHA-512'}
    ${'node_modules/a'} | ${{ ...good, integrity: 'sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA=' }}       | ${'without a SHA-512'}
    ${'node_modules/a'} | ${{ integrity: good.integrity }}                                     | ${'without a version'}
    ${'node_modules/a'} | ${{ ...good, resolved: 'https://registry.example/a/-/a-1.0.0.tgz' }} | ${'from an address'}
    ${'node_modules/a'} | ${{ ...good, resolved: 'git+ssh://git@a.example/a.git#0123456' }}    | ${'from an address'}
    ${'node_modules/a'} | ${{ resolved: 'packages/a', link: true }}                            | ${'from a folder'}
    ${'packages/a'}     | ${{ version: '1.0.0' }}                                              | ${'from a folder'}
    ${'node_modules/a'} | ${{ ...good, name: 'b' }}                                            | ${'under the name of another'}
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

describe('the commands of README, docs, CI and package.json', () => {
  const programs = programsOf(lockfile());

  it('install and run nothing beside the lockfile', () => {
    const texts = [...COMMANDS.map(textOf), ...Object.values(manifest().scripts)];
    expect(texts.flatMap((text) => unlocked(text, programs))).toEqual([]);
  });

  it.each`
    text                                    | refused
    ${'npm ci && npm test'}                 | ${[]}
    ${'`npm run build`'}                    | ${[]}
    ${'npx wrangler login'}                 | ${[]}
    ${'npx --no-install vitest run'}        | ${[]}
    ${'npm install --package-lock-only'}    | ${[]}
    ${'npm install'}                        | ${['npm install']}
    ${'npm i left-pad && npm test'}         | ${['npm i left-pad']}
    ${'`npm --silent install -g wrangler`'} | ${['npm --silent install -g wrangler']}
    ${'npm exec cowsay'}                    | ${['npm exec cowsay']}
    ${'npm update; npm test'}               | ${['npm update']}
    ${'yarn add left-pad'}                  | ${['yarn add left-pad']}
    ${'npx cowsay'}                         | ${['npx cowsay']}
    ${'npx wrangler@latest login'}          | ${['npx wrangler@latest']}
    ${'npx --yes wrangler login'}           | ${['npx --yes wrangler']}
    ${'npx -p cowsay wrangler'}             | ${['npx -p cowsay']}
  `('$text: $refused', ({ text, refused }) => {
    expect(unlocked(text, programs)).toEqual(refused);
  });
});

describe('docs/dependencies.md', () => {
  const document = documented(textOf('docs/dependencies.md'));

  it('lists exactly the runtime dependencies, in their versions', () => {
    const wanted = Object.entries(manifest().dependencies).map(([name, version]) => `${name} ${version}`);
    expect(document.chosen.toSorted()).toEqual(wanted.toSorted());
  });

  it('gives the reason for each', () => {
    expect(document.withoutReason).toEqual([]);
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
