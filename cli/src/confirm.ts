import { createInterface } from 'node:readline/promises';
import { Failure } from './failure.ts';
import { printable } from './printable.ts';
import type { Session } from './session.ts';

/** Asks for a confirmation on the terminal. Throws Failure if there is no terminal, or if the answer is not yes. */
export async function confirm(question: string, { stdin, stderr }: Session): Promise<void> {
  if (!stdin.isTTY) throw new Failure('there is no terminal to confirm the revocation: add --yes');
  const terminal = createInterface({ input: stdin, output: stderr.stream });
  try {
    const answer = await terminal.question(`${printable(question)} [y/N] `);
    if (!/^y(es)?$/i.test(answer.trim())) throw new Failure('nothing was sent');
  } finally {
    terminal.close();
  }
}
