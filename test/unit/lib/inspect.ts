/** Loaded by name: the types of these tests are those of the Worker runtime, which has no such module. */
const util: string = 'node:util';

/** How Node shows a value, as it does in logs and in error reports. */
export const { inspect } = (await import(util)) as {
  inspect(value: unknown, options: { depth: null; showHidden: boolean; getters?: boolean }): string;
};
