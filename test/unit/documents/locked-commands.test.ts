import { describe, expect, it } from 'vitest';
import { DOWNLOADS } from '../../../src/http/pages/files.ts';
import { projectFiles } from '../../../tools/project-files.ts';
import { type Lockfile, lockfile, manifest, manifestOf, nameOf, textOf, workspaces } from '../package-files.ts';
import { DOCUMENTS } from './markdown.ts';

/** The files with commands that people run, and the texts that a program shows to them. */
const COMMANDS = [
  ...DOCUMENTS,
  '.ci/run',
  'docs/partners/openapi.json',
  'docs/operators/openapi.json',
  'examples/gatepass.postman_collection.json',
  ...projectFiles('packages/{cli,client,react}/{bin,src}/**/*.{ts,tsx,js}'),
  ...projectFiles('examples/*.{html,js,mjs,ts,py,sh}'),
  ...projectFiles('pages/**/*.{html,js}'),
];

/** Installs only what the service itself offers. */
const FROM_THE_SERVICE = new RegExp(
  `^npm install (?:--global )?(?:"\\$GATEPASS_URL/downloads/(?:${DOWNLOADS.join('|').replaceAll('.', '\\.')})"|\\./gatepass-(?:cli|client|contracts|react)-[\\d.]+\\.tgz)$`,
);

/**
 * Returns the commands that install or run programs outside the lockfile. A registry would look for any other name, and may have a
 * stranger's package under it.
 */
function unlockedCommandsOf(text: string, programs: ReadonlySet<string>): string[] {
  const npm =
    /\b(?:npm (?:-\S+ (?:[^-\s]\S* )?)*(?:i|ins?|inst|insta|instal|install|install-test|it|add|up|update|upgrade|exec|x|init|innit|create)|yarn|pnpm|pnpx|bunx|bun (?:a|add|i|install|x|create)|deno (?:add|install))(?![\w-])[^`\n&;|]*/g;
  const npx = /\bnpx ((?:-\S+ )*)([^\s`'"]+)/g;
  // The prefix with which Deno and Bun fetch a package from the registry of npm.
  const specifier = /\bnpm:@?[\w./-]+/g;
  return [
    // This flag writes a lockfile and installs nothing.
    ...[...text.matchAll(npm)]
      .map(([command]) => command.trim())
      .filter((it) => !/ --package-lock-only$/.test(it) && !FROM_THE_SERVICE.test(it)),
    ...[...text.matchAll(specifier)].map(([name]) => name),
    ...[...text.matchAll(npx)]
      .filter(([, flags = '', program = '']) => !/^(--no-install )?$/.test(flags) || !programs.has(program))
      .map(([command]) => command),
  ];
}

/**
 * Returns the programs that `npx` finds, which belong to packages at the top of the tree. It finds our own command only in a clone:
 * elsewhere it would run what somebody else has published as `gatepass`, with the secret of the partner in its environment.
 */
const programsOf = ({ packages }: Lockfile) =>
  new Set(
    Object.entries(packages).flatMap(([folder, { bin = {} }]) =>
      folder === `node_modules/${nameOf(folder)}` ? Object.keys(bin) : [],
    ),
  );

describe('the commands of README, docs, CI and package.json', () => {
  const programs = programsOf(lockfile());

  it('contain no command that installs or runs a program outside the lockfile', () => {
    const manifests = [manifest(), ...Object.values(workspaces).map(manifestOf)];
    const texts = [...COMMANDS.map(textOf), ...manifests.flatMap(({ scripts = {} }) => Object.values(scripts))];
    expect(texts.flatMap((text) => unlockedCommandsOf(text, programs))).toEqual([]);
  });

  it.each`
    text                                                                 | refused
    ${'npm ci && npm test'}                                              | ${[]}
    ${'`npm run build`'}                                                 | ${[]}
    ${'npx wrangler login'}                                              | ${[]}
    ${'npx --no-install vitest run'}                                     | ${[]}
    ${'npm install --package-lock-only'}                                 | ${[]}
    ${'npm install'}                                                     | ${['npm install']}
    ${'npm i left-pad && npm test'}                                      | ${['npm i left-pad']}
    ${'`npm --silent install -g wrangler`'}                              | ${['npm --silent install -g wrangler']}
    ${'npm in left-pad'}                                                 | ${['npm in left-pad']}
    ${'npm --prefix there install left-pad'}                             | ${['npm --prefix there install left-pad']}
    ${'npm install-test left-pad'}                                       | ${['npm install-test left-pad']}
    ${'pnpx gatepass'}                                                   | ${['pnpx gatepass']}
    ${'npm exec cowsay'}                                                 | ${['npm exec cowsay']}
    ${'npm update; npm test'}                                            | ${['npm update']}
    ${'yarn add left-pad'}                                               | ${['yarn add left-pad']}
    ${'npx cowsay'}                                                      | ${['npx cowsay']}
    ${'npx wrangler@latest login'}                                       | ${['npx wrangler@latest']}
    ${'npx --yes wrangler login'}                                        | ${['npx --yes wrangler']}
    ${'npx -p cowsay wrangler'}                                          | ${['npx -p cowsay']}
    ${'npx gatepass login'}                                              | ${['npx gatepass']}
    ${'npm i @gatepass/client'}                                          | ${['npm i @gatepass/client']}
    ${'pnpm add @gatepass/client'}                                       | ${['pnpm add @gatepass/client']}
    ${'bunx gatepass'}                                                   | ${['bunx gatepass']}
    ${'bun add @gatepass/cli'}                                           | ${['bun add @gatepass/cli']}
    ${"import 'npm:@gatepass/client'"}                                   | ${['npm:@gatepass/client']}
    ${'npm install "$GATEPASS_URL/downloads/gatepass-client.tgz"'}       | ${[]}
    ${'npm install --global "$GATEPASS_URL/downloads/gatepass-cli.tgz"'} | ${[]}
    ${'npm install ./gatepass-client-0.1.0.tgz'}                         | ${[]}
    ${'npm install "$GATEPASS_URL/downloads/other.tgz"'}                 | ${['npm install "$GATEPASS_URL/downloads/other.tgz"']}
    ${'npm install "https://a.example/downloads/gatepass-cli.tgz"'}      | ${['npm install "https://a.example/downloads/gatepass-cli.tgz"']}
    ${'npm install ./gatepass-cli.tgz left-pad'}                         | ${['npm install ./gatepass-cli.tgz left-pad']}
  `('returns the unlocked commands $refused for the text "$text"', ({ text, refused }) => {
    expect(unlockedCommandsOf(text, programs)).toEqual(refused);
  });
});
