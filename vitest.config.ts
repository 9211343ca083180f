import { realpathSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { fileURLToPath } from 'node:url';
import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-pool-workers';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { writeAssets } from './scripts/assets.ts';
import { LONG } from './test/form.ts';
import { SlowFirst } from './test/slow-first.ts';
import { lentLocalnets } from './test/worker/setup/lent-localnets.ts';

/**
 * In these packages the `browser` field takes away again what the `workerd` export has chosen, and who puts them together for
 * the tests follows it where the deployed bundle does not: a browser's build wants a secure context. Their builds for Node and
 * workerd are the same file; what that has of Node, workerd has under `node:`.
 */
const workerdBuilds = {
  name: 'workerd-builds',
  resolveId(id: string) {
    if (isBuiltin(id)) return { id: id.startsWith('node:') ? id : `node:${id}`, external: true };
    return id.startsWith('@solana/') ? realpathSync(fileURLToPath(import.meta.resolve(id))) : undefined;
  },
};

/**
 * What the Worker brings along, and one that most tests use: each runtime loads it anew, and file by file, which takes
 * longer, unless it is put together before.
 */
const BUNDLED = [
  ...['@scure/base', '@solana/kit', 'itty-router', 'jose', 'uuid', 'valibot', 'viem', 'viem/accounts', 'viem/utils'],
  'fast-check',
];

/**
 * The number of random stories per chain, and their seed, which is fixed so that only a change of the code can fail them.
 * The short form keeps the first stories of that seed. The long form finds rarer orders of events.
 */
const stories = {
  runs: Number(process.env.STORIES ?? (LONG ? 10_000 : 500)),
  seed: Number(process.env.STORY_SEED ?? 20_261_121),
};

/** The runtime of a test file, or of several one after the other, with the variables and secrets of the localnet that is lent to it. */
const runtime = async (environment: Record<string, string>) => ({
  main: './src/worker.ts',
  wrangler: { configPath: './wrangler.toml' },
  miniflare: {
    cf: false,
    // The second shard; the first one is that of `wrangler.toml`.
    d1Databases: { DB_1: 'shard-1' },
    bindings: {
      ...environment,
      MIGRATIONS: await readD1Migrations('./migrations'),
    },
  },
});

/** More than there are cores: many files wait for blocks, or for a process to start. */
const TOGETHER = { maxWorkers: 3 };

// The runtime of the tests builds nothing by itself.
writeAssets();

/** Tests in the Worker runtime. */
const inTheRuntime = (test: TestProjectInlineConfiguration['test']) => ({
  plugins: [cloudflareTest({}), lentLocalnets(runtime)],
  test: {
    ...test,
    globalSetup: ['./test/worker/setup/start-localnets.ts'],
    testTimeout: 20_000,
    deps: { optimizer: { ssr: { enabled: true, include: BUNDLED, rolldownOptions: { plugins: [workerdBuilds] } } } },
    provide: { stories, isLong: LONG },
    ...TOGETHER,
  },
});

const BLACK_BOX = { testTimeout: 60_000, hookTimeout: 60_000, ...TOGETHER };

/** Three heights, each described in `test/README.md`, and the short form of the benchmarks. */
export default defineConfig({
  test: {
    silent: 'passed-only',
    sequence: { sequencer: SlowFirst },
    onUnhandledError: ({ name, message }) =>
      // What a Worker does behind its answers does not end with the file that asked for it: its lines go nowhere then.
      !(name === 'EnvironmentTeardownError' && /"(onUserConsoleLog|resolve)" was pending/.test(message)),
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          testTimeout: 20_000,
          // Pure code shares its modules, which takes half the time.
          isolate: false,
          ...TOGETHER,
        },
      },
      inTheRuntime({
        name: 'worker-shared',
        include: ['test/worker/{auth,chain}/**/*.test.ts'],
        // These files leave no object, queue or alarm behind, so they share a runtime, which is loaded once.
        isolate: false,
      }),
      // A runtime per file: objects, queues and alarms continue by themselves.
      inTheRuntime({
        name: 'worker',
        include: ['test/worker/!(auth|chain)/**/*.test.ts'],
        setupFiles: ['./test/worker/setup/apply-migrations.ts'],
      }),
      {
        test: {
          name: 'system',
          include: ['test/system/!(bench)/**/*.test.ts'],
          globalSetup: ['./test/system/shared-gatepass.ts'],
          ...BLACK_BOX,
        },
      },
      {
        test: {
          name: 'bench',
          include: ['test/system/bench/**/*.test.ts'],
          ...BLACK_BOX,
          // After all others and alone: anything that runs beside it would distort its ratios.
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
