import { createInterface } from 'node:readline/promises';
import { printable } from './printable.ts';

/**
 * Asks a question on the terminal, and returns whether the answer is yes. Ctrl-D means no, and so does Ctrl-C after
 * `onInterrupt`. Returns undefined if there is no terminal.
 */
export async function askYesNo(
  question: string,
  input: NodeJS.ReadStream,
  output: NodeJS.WriteStream,
  onInterrupt?: () => void,
): Promise<boolean | undefined> {
  if (!input.isTTY) return undefined;
  const terminal = createInterface({ input, output });
  const interrupt = new AbortController();
  terminal.once('SIGINT', () => {
    onInterrupt?.();
    interrupt.abort();
  });
  const { signal } = interrupt;
  const answer = await terminal.question(`${printable(question)} [y/N] `, { signal }).catch(() => '');
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}
