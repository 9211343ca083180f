/** Files that only the full form runs (`npm run test:all`). */
export const FULL_ONLY = '**/*.full.test.{ts,tsx}';

/** Files that have a Worker runtime of their own, because they count all rows, lines or calls, or change what their neighbors need. */
const ALONE = '*.alone.test.ts';

/** The files of each project of vitest, as patterns. */
export interface ProjectFiles {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

const OF_WHOLE_WORKER = 'test/worker/!(auth|chain|store)/**';
const OF_OBJECTS = 'test/worker/{*-object,lies,settlement}/**';
const BENCHMARKS = 'test/system/tools/bench/**/*.test.ts';

export const PROJECT_FILES = {
  unit: { include: ['test/unit/**/*.test.{ts,tsx}'], exclude: [] },
  /** These files leave no object, queue or alarm behind, only rows. */
  'worker-rows': { include: ['test/worker/{auth,chain,store}/**/*.test.ts'], exclude: [] },
  /** One signer object serves all files of a runtime, so a crowd of requests in one file would delay the steps of another. */
  'worker-objects': { include: [`${OF_OBJECTS}/*.test.ts`], exclude: [`**/${ALONE}`, FULL_ONLY] },
  worker: { include: [`${OF_WHOLE_WORKER}/*.test.ts`], exclude: [`${OF_OBJECTS}/*.test.ts`, `**/${ALONE}`, FULL_ONLY] },
  'worker-alone': { include: [`${OF_WHOLE_WORKER}/${ALONE}`, `${OF_WHOLE_WORKER}/*.full.test.ts`], exclude: [] },
  simulation: { include: ['test/simulation/**/*.test.ts'], exclude: [] },
  system: { include: ['test/system/**/*.test.ts'], exclude: [BENCHMARKS] },
  bench: { include: [BENCHMARKS], exclude: [] },
} as const satisfies Readonly<Record<string, ProjectFiles>>;
