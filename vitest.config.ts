import { fileURLToPath } from 'node:url';
import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-pool-workers';
import { defineConfig, type TestProjectInlineConfiguration as ProjectConfig } from 'vitest/config';

/** Compared with a client that does not run in the Worker runtime. */
const ENCODINGS = 'test/chain/solana/gateway.test.ts';

/**
 * In these packages the `browser` field takes away again what the `workerd` export has chosen, and the runner follows it
 * where the deployed bundle does not: a browser's build wants a secure context. (Their builds for Node and workerd are
 * the same file.)
 */
const workerdBuilds = {
  name: 'workerd-builds',
  enforce: 'pre' as const,
  resolveId: (id: string) => (id.startsWith('@solana/') ? fileURLToPath(import.meta.resolve(id)) : undefined),
};

/**
 * What the Worker brings along, and one that most tests use: each test file loads it anew, file by file unless it is put
 * together before, which takes twice as long.
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

/** Tests in the Worker runtime that wait for no transaction: what others do with the nodes meanwhile is no matter. */
const OFF_CHAIN = [
  'test/{auth,store,pass-object,settlement}/**/*.test.ts',
  'test/signer-object/{ledger,schema,overload}.test.ts',
  'test/chain/{change-intent,intent,json-rpc,nodes-words,several-tokens}.test.ts',
  'test/chain/solana/refusal.test.ts',
  'test/http/{access-matrix,admin-access,authorize,bad-input,fuzz,issue-refusals,limits,own-network}.test.ts',
  'test/http/{issued-by-another,production,quota,router,search-passes,tenants,token-attacks,update-refusals}.test.ts',
];

/** A project in the Worker runtime, with a world of its own beside it. */
const inWorkerRuntime = (test: ProjectConfig['test']): ProjectConfig => ({
  plugins: [
    workerdBuilds,
    cloudflareTest(async ({ inject }) => ({
      main: './src/worker.ts',
      wrangler: { configPath: './wrangler.toml' },
      miniflare: {
        cf: false,
        bindings: {
          ...inject('environment'),
          MIGRATIONS: await readD1Migrations('./migrations'),
        },
      },
    })),
  ],
  test: {
    globalSetup: ['./test/world/for-worker-tests.ts'],
    setupFiles: ['./test/database.ts'],
    testTimeout: 20_000,
    deps: { optimizer: { ssr: { enabled: true, include: BUNDLED } } },
    provide: { stories },
    ...test,
  },
});

/** Each file of these has processes and chains of its own, and waits for blocks or does not need any. */
const TOGETHER = { maxWorkers: 3, sequence: { groupOrder: 1 } };

/** Three heights: pure tables, the Worker runtime with its real bindings, and black box over HTTP. */
export default defineConfig({
  test: {
    silent: 'passed-only',
    projects: [
      {
        test: {
          name: 'pure',
          include: ['test/*.test.ts', 'test/{lib,network,pass,config}/**/*.test.ts', ENCODINGS],
        },
      },
      inWorkerRuntime({
        name: 'worker',
        include: ['test/{chain,signer-object,consumer,http}/**/*.test.ts'],
        exclude: [ENCODINGS, ...OFF_CHAIN],
        // The files share one gatekeeper key on one node, and a key belongs to one deployment at a time.
        fileParallelism: false,
      }),
      {
        test: {
          name: 'world',
          include: ['test/{world,e2e,faults}/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          ...TOGETHER,
        },
      },
      inWorkerRuntime({ name: 'off-chain', include: OFF_CHAIN, ...TOGETHER }),
    ],
    coverage: {
      provider: 'istanbul',
      include: ['src/**/*.ts'],
      reporter: ['text-summary'],
      thresholds: { statements: 90 },
    },
  },
});
