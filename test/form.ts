/** Whether the long forms of tests run (`npm run test:long`), with many seeds, many rows and kill runs. */
export const LONG = process.env.TEST_FORM === 'long';
