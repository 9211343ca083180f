import { createInterface } from 'node:readline/promises';
import { Failure } from '../../scripts/failure.ts';

/** A value that the operator gives by an option, or on the terminal. */
export interface Question {
  /** The option that gives it, as the operator writes it. */
  readonly option: string;
  readonly text: string;
  /** The given value; undefined: the operator is asked. */
  readonly given: string | undefined;
  readonly fallback?: string;
}

/** Returns the answers in order. Throws Failure that names every missing option if there is no terminal. */
export async function ask(
  questions: readonly Question[],
  input: NodeJS.ReadStream = process.stdin,
  output: NodeJS.WriteStream = process.stdout,
): Promise<string[]> {
  const missing = questions.filter(
    ({ given, fallback }) => given === undefined && (fallback === undefined || input.isTTY),
  );
  if (missing.length > 0 && !input.isTTY)
    throw new Failure(`nobody can answer here, so give ${missing.map(({ option }) => option).join(', ')}`, 2);
  const terminal = missing.length > 0 ? createInterface({ input, output }) : undefined;
  const answers: string[] = [];
  for (const { text, given, fallback = '' } of questions) {
    const asked = given ?? (await terminal?.question(`${text}${fallback && ` [${fallback}]`}: `))?.trim();
    answers.push(asked || fallback);
  }
  terminal?.close();
  return answers;
}
