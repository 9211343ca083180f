/**
 * The form of the tests. `npm test` runs the files that end in `.test.ts`, and `npm run test:all` also those that end in `.full.test.ts`.
 * `npm run test:long` runs all of them with many seeds, many rows and many kills.
 */
export type Form = 'short' | 'all' | 'long';

/** A test in the Worker runtime gets it from `inject('form')`. */
export const FORM = (process.env.TEST_FORM ?? 'short') as Form;

export const LONG = FORM === 'long';

/** Whether the files that end in `.full.test.ts` run too. */
export const FULL = FORM !== 'short';
