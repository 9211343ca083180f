import { createInterface } from 'node:readline/promises';
import { Failure } from './failure.ts';
import { printable } from './printable.ts';
import type { Session } from './session.ts';

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

/** Throws Failure if there is no terminal, or if the answer to the question is not yes. */
export async function confirm(question: string, { stdin, stderr }: Session): Promise<void> {
  const isYes = await askYesNo(question, stdin, stderr.stream);
  if (isYes === undefined) throw new Failure('there is no terminal to confirm the revocation: add --yes');
  if (!isYes) throw new Failure('nothing was sent');
}
