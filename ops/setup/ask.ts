import { createInterface } from 'node:readline/promises';
import { Failure } from '../../terminal/failure.ts';

/** A value that the operator gives by an option, or on the terminal. */
export interface Question {
  /** The option that gives it, as the operator writes it. */
  readonly option: string;
  readonly text: string;
  /** The given value; undefined: the operator is asked. */
  readonly given: string | undefined;
  readonly fallback?: string;
  /** Throws if an answer is wrong: the operator is asked again. */
  readonly check?: (answer: string) => unknown;
}

/** Returns the answers in order. Throws Failure if there is no terminal, naming every missing option, or if the terminal closes. */
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
  const closed = new AbortController();
  terminal?.once('close', () => closed.abort());
  const read = async (prompt: string) => {
    const answer = await terminal?.question(prompt, { signal: closed.signal }).catch(() => undefined);
    if (answer === undefined) throw new Failure('a question has no answer, so the setup stopped: run it again');
    return answer.trim();
  };
  const answers: string[] = [];
  try {
    for (const question of questions)
      answers.push(
        question.given ?? (input.isTTY ? await answerTo(question, read, output) : (question.fallback ?? '')),
      );
  } finally {
    terminal?.close();
  }
  return answers;
}

/** Asks until the answer is right. */
async function answerTo(
  { text, fallback = '', check }: Question,
  read: (prompt: string) => Promise<string>,
  output: NodeJS.WriteStream,
): Promise<string> {
  for (;;) {
    const answer = (await read(`${text}${fallback && ` [${fallback}]`}: `)) || fallback;
    try {
      if (answer === '') throw new Failure('It needs an answer.');
      check?.(answer);
      return answer;
    } catch (fault) {
      output.write(`${(fault as Error).message}\n`);
    }
  }
}
