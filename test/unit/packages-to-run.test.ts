import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { lockfile, manifest } from './package-files.ts';

/** `npm ci --omit=dev` suffices for the service and for its commands. `npm run test:packages -- small-install` installs it. */

const PROJECT = join(import.meta.dirname, '../..');
const COMMANDS = Object.values(manifest().scripts).flatMap(
  (script) => /^exec node ((?:ops|tools\/localnet)\/\S+)/.exec(script)?.[1] ?? [],
);
/** The programs that the commands start, and the pages that they build. */
const PROGRAMS = [
  'src/worker.ts',
  'tools/build.ts',
  'tools/localnet/solana/node.ts',
  'tools/packages.ts',
  'tools/print-first-pass.ts',
  'tools/site.ts',
  'tools/site/build-site.ts',
  'pages/console/app.tsx',
  'pages/docs/theme/index.js',
  'examples/dapp/page/main.tsx',
  'examples/dapp/server/main.ts',
  'examples/dapp/vite.config.ts',
];

/** Packages whose files the commands find by a path. */
const READ = ['@openzeppelin/contracts', 'swagger-ui-dist', 'typescript', 'wrangler'];

/** Returns the packages that the programs import, also on demand. Imports of types are none. */
async function packagesOf(programs: readonly string[]): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: PROJECT,
    entryPoints: [...programs],
    outdir: 'dist',
    bundle: true,
    packages: 'external',
    external: ['cloudflare:*'],
    platform: 'node',
    format: 'esm',
    define: { 'process.env.NODE_ENV': '"production"' },
    loader: { '.svg': 'empty', '.woff2': 'empty' },
    metafile: true,
    write: false,
  });
  const paths = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
  const names = paths.flatMap((path) => /^(?!node:|cloudflare:)(?:@[^/]+\/)?[^@./][^/]*/.exec(path)?.[0] ?? []);
  return [...new Set(names)];
}

const { packages } = lockfile();
/** Whether npm installs the package without those of the development. */
const isInstalled = (name: string) => {
  const locked = packages[`node_modules/${name}`];
  return locked !== undefined && !locked.dev && !locked.devOptional;
};

it('the service and the commands of people who run it import no development package', async () => {
  const imported = await packagesOf([...COMMANDS, ...PROGRAMS]);
  expect(COMMANDS.length).toBeGreaterThan(15);
  expect(imported).toEqual(expect.arrayContaining(['jose', 'viem', 'vitepress', 'litesvm', 'react', 'oidc-provider']));
  expect([...imported, ...READ].filter((name) => !isInstalled(name))).toEqual([]);
});

it('the packages to run it have one runtime of Workers, no browser, no client of a cloud, and no package of the tests', () => {
  const names = Object.keys(packages).filter((folder) => !packages[folder]?.dev && !packages[folder]?.devOptional);
  expect(names.filter((name) => name.endsWith('/workerd'))).toEqual(['node_modules/wrangler/node_modules/workerd']);
  expect(
    names.filter((name) => /chromium|playwright|aws-sdk|google-cloud|redocly|vitest|hardhat|edr-/.test(name)),
  ).toEqual([]);
});
