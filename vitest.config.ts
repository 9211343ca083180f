import { execFileSync } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { wranglerConfigOf } from './ops/deploy/deployment-config.ts';
import { findOffice } from './test/find-office.ts';
import { FORM, FULL, LONG } from './test/form.ts';
import { ProgressReporter } from './test/progress-reporter.ts';
import { FULL_ONLY, PROJECT_FILES } from './test/projects.ts';
import { skippedTests } from './test/skipped-tests.ts';
import { SlowestFirst } from './test/slowest-first.ts';
import { lentLocalnets } from './test/worker/setup/lent-localnets.ts';
import { writeAssets } from './tools/assets.ts';
import { memoryFolder } from './tools/memory-folder.ts';

// The installation runs no scripts, and tests on unpatched packages take many times as long (docs/decisions/0071). Modules that are
// imported statically load before this line, so the pool is not one of them.
execFileSync(process.execPath, [
  fileURLToPath(import.meta.resolve('patch-package')),
  '--error-on-fail',
  '--patch-dir',
  'tools/patches',
]);
const { cloudflarePool, cloudflareTest, readD1Migrations } = await import('@cloudflare/vitest-pool-workers');

/**
 * In these packages, the `browser` field overrides the file that the `workerd` export selects. The bundler of the tests follows
 * that field, unlike the bundler of the deployment, and a browser build needs a secure context. The builds for Node and workerd
 * are the same file. Its Node modules exist in workerd under `node:`.
 */
const workerdBuilds = {
  name: 'workerd-builds',
  resolveId(id: string) {
    if (isBuiltin(id)) return { id: id.startsWith('node:') ? id : `node:${id}`, external: true };
    return id.startsWith('@solana/') ? realpathSync(fileURLToPath(import.meta.resolve(id))) : undefined;
  },
};

/**
 * Makes `import()` in the Worker an import statement. The runner of the tests hands the same promise to all objects that import a module at
 * once, so one of them would continue as another object. The runtime of a deployment does not. Only `wrangler dev` has the files that
 * `src/development/` imports.
 */
const importsAtStart = {
  name: 'imports-at-start',
  transform(code: string, id: string) {
    if (!id.startsWith(fileURLToPath(new URL('src/', import.meta.url)))) return undefined;
    const paths: string[] = [];
    const eager = code.replace(/\bimport\(["'](\.(?!\/development\/)[^"']+)["']\)/g, (_, path) => {
      return `Promise.resolve(loaded${paths.push(path)})`;
    });
    // On the first line, so that the lines keep their numbers.
    return paths.map((path, index) => `import * as loaded${index + 1} from '${path}'; `).join('') + eager;
  },
};

/**
 * The Worker's dependencies, and three that most tests use. They are bundled in advance, because every runtime loads them again,
 * and loading file by file takes longer.
 */
const BUNDLED = [
  ...[
    '@noble/hashes/sha3',
    '@noble/hashes/utils',
    '@solana/codecs-strings',
    '@solana/kit',
    'itty-router',
    'jose',
    'ox/AbiParameters',
    'ox/TxEnvelopeEip1559',
    'ox/TxEnvelopeLegacy',
    'uuid',
    'valibot',
  ],
  ...['viem', 'viem/accounts', 'viem/utils', 'fast-check', '@scure/base'],
];

/**
 * The number of random stories per chain, and their seed. The seed is fixed, so that only a change of the code can fail them.
 * The short form runs the first stories of that seed. The long form finds rarer orders of events.
 */
const stories = {
  runs: Number(process.env.STORIES ?? (LONG ? 10_000 : 200)),
  seed: Number(process.env.STORY_SEED ?? 20_261_121),
};

/**
 * The pool gives every runtime the variables of `.dev.vars`, where developers write their own. A test has those of the release instead.
 */
const released = () => {
  const { vars } = wranglerConfigOf(undefined);
  const names = Object.keys(parseEnv(readFileSync('.dev.vars', 'utf8')));
  return Object.fromEntries(names.map((name) => [name, String(vars[name] ?? '')]));
};

/** Returns the runtime of a test file, or of several in sequence, with the variables and secrets of its localnet. */
const runtime = async (environment: Record<string, string>) => ({
  main: './src/worker.ts',
  wrangler: { configPath: './wrangler.toml' },
  miniflare: {
    cf: false,
    // The second shard. `wrangler.toml` has the first one.
    d1Databases: { DB_1: 'shard-1' },
    bindings: {
      ...released(),
      ...environment,
      MIGRATIONS: await readD1Migrations('./migrations'),
    },
  },
});

/** More workers than cores, because many files wait for blocks or for a process to start. */
const TOGETHER = { maxWorkers: 4 };

// Many tests start a command of the project. Each of these processes would compile the same modules again.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('node_modules/.cache/node-compile', import.meta.url));

process.env.TMPDIR = memoryFolder() ?? tmpdir();

// The runtime of the tests does not run the build command of `wrangler.toml`.
writeAssets();

/**
 * Time limits in milliseconds. They only end a test that hangs. On a busy machine, everything takes several times as long as on an idle
 * one, so no limit is near the time of a test.
 */
const HANGS_AFTER = { unit: 60_000, worker: 120_000, system: 300_000, poll: 60_000 };

/** The tests of other machines. A line says so, because nobody reads the names of tests that did not run. */
// The short form does not start LibreOffice.
const skipped = skippedTests(process.platform, process.arch, !FULL || findOffice() !== undefined);
for (const { files, why } of skipped) console.log(`Skipped on this machine: ${files.join(', ')} (${why})`);

/** Returns the files of a project that this form and this machine run. */
const filesOf = (project: keyof typeof PROJECT_FILES) => {
  const { include, exclude } = PROJECT_FILES[project];
  const others = [...(FULL ? [] : [FULL_ONLY]), ...skipped.flatMap(({ files }) => files)];
  return { name: project, include: [...include], exclude: [...configDefaults.exclude, ...exclude, ...others] };
};

const WHOLE_WORKER_SETUP = ['./test/worker/setup/load-modules.ts', './test/worker/setup/apply-migrations.ts'];

/** Tests in the Worker runtime. */
const inTheRuntime = (test: TestProjectInlineConfiguration['test']) => ({
  plugins: [importsAtStart, cloudflareTest({}), lentLocalnets(cloudflarePool, runtime)],
  test: {
    ...test,
    globalSetup: ['./test/worker/setup/start-localnets.ts'],
    testTimeout: HANGS_AFTER.worker,
    hookTimeout: HANGS_AFTER.worker,
    deps: { optimizer: { ssr: { enabled: true, include: BUNDLED, rolldownOptions: { plugins: [workerdBuilds] } } } },
    provide: { stories, form: FORM },
    ...TOGETHER,
  },
});

const BLACK_BOX = {
  testTimeout: HANGS_AFTER.system,
  hookTimeout: HANGS_AFTER.system,
  expect: { poll: { timeout: HANGS_AFTER.poll } },
  ...TOGETHER,
};

/** The checkout has no built client. */
const CLIENT_AS_SOURCE = Object.fromEntries(
  [
    ['@gatepass/client/verify', 'packages/client/src/verify.ts'],
    ['@gatepass/client', 'packages/client/src/gatepass.ts'],
  ].map(([name, file]) => [name, fileURLToPath(new URL(file ?? '', import.meta.url))]),
);

/** Three levels of tests (`docs/testing.md`) and the short form of the benchmarks. */
export default defineConfig({
  test: {
    silent: 'passed-only',
    sequence: { sequencer: SlowestFirst },
    reporters: [new ProgressReporter()],
    onUnhandledError: ({ name, message }) =>
      // Background work of a Worker may outlive the test file that caused it. Its log lines then have no destination.
      !(name === 'EnvironmentTeardownError' && /"(onUserConsoleLog|resolve)" was pending/.test(message)),
    projects: [
      {
        test: {
          ...filesOf('unit'),
          alias: {
            ...CLIENT_AS_SOURCE,
            'cloudflare:workers': fileURLToPath(new URL('test/unit/cloudflare-workers.ts', import.meta.url)),
          },
          testTimeout: HANGS_AFTER.unit,
          // Pure code can share its modules, which halves the time.
          isolate: false,
          ...TOGETHER,
        },
      },
      inTheRuntime({
        ...filesOf('worker-rows'),
        // These files leave no object, queue or alarm behind, only rows. Each begins with empty databases.
        isolate: false,
        setupFiles: ['./test/worker/setup/empty-databases.ts'],
      }),
      inTheRuntime({
        ...filesOf('worker-objects'),
        isolate: false,
        setupFiles: WHOLE_WORKER_SETUP,
      }),
      inTheRuntime({
        ...filesOf('worker'),
        // Objects, queues and alarms of earlier files continue meanwhile, so each file has partners or wallets of its own.
        isolate: false,
        setupFiles: WHOLE_WORKER_SETUP,
      }),
      inTheRuntime({
        ...filesOf('worker-alone'),
        setupFiles: WHOLE_WORKER_SETUP,
      }),
      {
        test: { ...filesOf('simulation'), ...BLACK_BOX, isolate: false },
      },
      {
        test: {
          ...filesOf('system'),
          alias: CLIENT_AS_SOURCE,
          // The files of a process share its modules, which take a second or two to load.
          isolate: false,
          globalSetup: ['./test/system/shared-gatepass.ts'],
          ...BLACK_BOX,
        },
      },
      {
        test: {
          ...filesOf('bench'),
          ...BLACK_BOX,
          // The benchmarks run last and alone: any parallel work would distort their ratios.
          sequence: { groupOrder: 1 },
          maxWorkers: 1,
        },
      },
    ],
    coverage: {
      provider: 'istanbul',
      include: ['src/**/*.ts'],
      reporter: ['text-summary'],
      thresholds: { statements: 90 },
    },
  },
});
