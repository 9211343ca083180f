import { createInterface } from 'node:readline/promises';
import { printable } from './printable.ts';

/**
 * Asks a question on the terminal, and returns whether the answer is yes. Ctrl-C and Ctrl-D mean no. Returns undefined if there is
 * no terminal.
 */
export async function askYesNo(
  question: string,
  input: NodeJS.ReadStream,
  output: NodeJS.WriteStream,
): Promise<boolean | undefined> {
  if (!input.isTTY) return undefined;
  const terminal = createInterface({ input, output });
  const answer = await terminal.question(`${printable(question)} [y/N] `).catch(() => '');
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}
