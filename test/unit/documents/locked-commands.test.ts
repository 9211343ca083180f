import { describe, expect, it } from 'vitest';
import { type Lockfile, lockfile, manifest, manifestOf, nameOf, textOf, workspaces } from '../package-files.ts';
import { DOCUMENTS } from './markdown.ts';

/** The files with commands that people run. */
const COMMANDS = [...DOCUMENTS, '.ci/run'];

/** Returns the commands that install or run programs outside the lockfile. */
function unlockedCommandsOf(text: string, programs: ReadonlySet<string>): string[] {
  const npm = /\b(?:npm (?:--?\S+ )*(?:i|install|add|update|upgrade|exec|x|init|create)|yarn|pnpm|bunx?)\b[^`\n&;|]*/g;
  const npx = /\bnpx ((?:-\S+ )*)([^\s`'"]+)/g;
  return [
    // This flag writes a lockfile and installs nothing.
    ...[...text.matchAll(npm)].map(([command]) => command.trim()).filter((it) => !/ --package-lock-only$/.test(it)),
    ...[...text.matchAll(npx)]
      .filter(([, flags = '', program = '']) => !/^(--no-install )?$/.test(flags) || !programs.has(program))
      .map(([command]) => command),
  ];
}

/** Returns the programs that `npx` finds, which belong to packages at the top of the tree. */
const programsOf = ({ packages }: Lockfile) =>
  new Set(
    Object.entries(packages).flatMap(([folder, { bin = {} }]) =>
      folder === `node_modules/${nameOf(folder)}` || Object.values(workspaces).includes(folder) ? Object.keys(bin) : [],
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
  `('returns the unlocked commands $refused for the text "$text"', ({ text, refused }) => {
    expect(unlockedCommandsOf(text, programs)).toEqual(refused);
  });
});
