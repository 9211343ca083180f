/// <reference types="vite/types/importMeta.d.ts" />

/**
 * Loads the Worker's modules side by side. An import statement waits for the one before it, so a runtime that loads about 200
 * modules only as they are imported takes twice as long. Only
 * `wrangler dev` has the files that `src/development/` imports.
 */
const modules = import.meta.glob(['../../../src/**/*.ts', '!**/development/**']);
await Promise.all(Object.values(modules).map((load) => load()));

export {};
