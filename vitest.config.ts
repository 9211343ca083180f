import { realpathSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { fileURLToPath } from 'node:url';
import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-pool-workers';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { writeAssets } from './scripts/assets.ts';
import { SlowFirst } from './test/slow-first.ts';
import { lentWorlds } from './test/world/lent-worlds.ts';

/** Compared with a client that does not run in the Worker runtime. */
const ENCODINGS = 'test/chain/solana/{gateway,transaction}.test.ts';

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

/** How many stories are told at random, and from which seed: fixed, so that a red run is a change of ours. */
const stories = {
  runs: Number(process.env.STORIES ?? 1_500),
  seed: Number(process.env.STORY_SEED ?? 20_261_121),
};

/** The runtime of a test file, or of several one after the other, with the variables and secrets of the world that is lent to it. */
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
  plugins: [cloudflareTest({}), lentWorlds(runtime)],
  test: {
    ...test,
    globalSetup: ['./test/world/for-worker-tests.ts'],
    testTimeout: 20_000,
    deps: { optimizer: { ssr: { enabled: true, include: BUNDLED, rolldownOptions: { plugins: [workerdBuilds] } } } },
    provide: { stories },
    ...TOGETHER,
  },
});

const BLACK_BOX = { testTimeout: 60_000, hookTimeout: 60_000, ...TOGETHER };

/**
 * Three heights: pure tables (`pure`), the Worker runtime (`runtime`, `worker`), and from outside (`partner`, `world`); and
 * beside its peers (`bench`).
 */
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
          name: 'pure',
          include: ['test/*.test.ts', 'test/{lib,log,network,openapi,pass,config}/**/*.test.ts', ENCODINGS],
          // They hold nothing.
          isolate: false,
          ...TOGETHER,
        },
      },
      inTheRuntime({
        name: 'runtime',
        include: ['test/{auth,chain}/**/*.test.ts'],
        exclude: [ENCODINGS],
        // Nothing that these leave behind goes on by itself: they follow one another in a runtime, which is loaded once.
        isolate: false,
      }),
      // The Worker with its real bindings: a runtime for each file, as objects, queues and alarms go on by themselves.
      inTheRuntime({
        name: 'worker',
        include: ['test/{consumer,http,pass-object,settlement,signer-object,store}/**/*.test.ts'],
        setupFiles: ['./test/database.ts'],
      }),
      {
        test: {
          name: 'partner',
          include: ['test/partner/**/*.test.ts'],
          globalSetup: ['./test/partner/one-gatepass.ts'],
          ...BLACK_BOX,
        },
      },
      {
        test: {
          name: 'world',
          include: ['test/{world,e2e,faults}/**/*.test.ts'],
          ...BLACK_BOX,
        },
      },
      {
        test: {
          name: 'bench',
          include: ['test/bench/**/*.test.ts'],
          ...BLACK_BOX,
          // After all others, and alone: what runs beside it would be measured too.
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
