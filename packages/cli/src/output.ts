import { printable, printableJson } from './printable.ts';

/** A stream of the command. Every line that the command prints goes through one, so that no text controls the terminal. */
export interface Output {
  /** Prints each text as a line. Returns false if the reader is slower. */
  print(...lines: readonly string[]): boolean;
  /** Prints a line of JSON. Returns false if the reader is slower. */
  printJson(value: unknown): boolean;
  /** For a progress bar and a question, which draw on the terminal. */
  readonly stream: NodeJS.WriteStream;
}

export function outputTo(stream: NodeJS.WriteStream): Output {
  return {
    print: (...lines) => stream.write(lines.map((line) => `${printable(line)}\n`).join('')),
    printJson: (value) => stream.write(`${printableJson(value)}\n`),
    stream,
  };
}
