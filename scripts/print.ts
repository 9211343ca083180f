import { printable } from '../cli/src/printable.ts';

/** Prints each text as a line. No text of a node, a database or a server begins another line or controls the terminal. */
export const print = (...lines: readonly string[]): void => console.log(lines.map(printable).join('\n'));

/** The same on the error output. */
export const printError = (...lines: readonly string[]): void => console.error(lines.map(printable).join('\n'));
