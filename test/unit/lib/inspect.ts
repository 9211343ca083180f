/** The module is loaded by name, because these tests have the types of the Worker runtime, which lacks this module. */
const util: string = 'node:util';

/** Returns the text by which Node shows a value in logs and in error reports. */
export const { inspect } = (await import(util)) as {
  inspect(value: unknown, options: { depth: null; showHidden: boolean; getters?: boolean }): string;
};
