/** Whether the long forms run (`npm run test:long`): many seeds, many rows, kill runs. */
export const LONG = process.env.TEST_FORM === 'long';
