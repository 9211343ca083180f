/**
 * The form of the tests. `npm test` runs the files that end in `.test.ts`, `npm run test:all` also those that end in `.full.test.ts`. `npm run test:long`
 * runs all of them with many seeds, many rows and many kills.
 */
const FORM = process.env.TEST_FORM ?? 'short';

export const LONG = FORM === 'long';

/** Whether the files that end in `.full.test.ts` run too. */
export const FULL = FORM !== 'short';

/** The pattern of the files that only the full form runs. */
export const FULL_ONLY = '**/*.full.test.{ts,tsx}';
