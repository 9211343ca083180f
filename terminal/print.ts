import { printable } from '../packages/cli/src/printable.ts';

/** Prints each text as a line. No text of a node, a database or a server begins another line or controls the terminal. */
export const print = (...lines: readonly string[]): void => console.log(lines.map(printable).join('\n'));

/** The same on the error output. */
export const printError = (...lines: readonly string[]): void => console.error(lines.map(printable).join('\n'));

/** Returns lines of text in columns. A column is as wide as its widest cell. */
export function formatTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [heads, ...rows].map((cells) => cells.map(printable));
  const widths = heads.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const padded = lines.map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)));
  return padded.map((line) => line.join('  ').trimEnd()).join('\n');
}
