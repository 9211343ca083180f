import { createInterface } from 'node:readline/promises';
import { Failure } from '../../terminal/failure.ts';

/** A value that the operator gives by an option, or on the terminal. */
export interface Question {
  /** The option that gives it, as the operator writes it. */
  readonly option: string;
  readonly text: string;
  /** The given value; undefined: the operator is asked. */
  readonly given: string | undefined;
  /** The proposed answer. It may depend on the answers to the questions before. */
  readonly fallback?: string | ((earlier: readonly string[]) => string | undefined) | undefined;
  /** Throws if an answer is wrong: the operator is asked again. */
  readonly check?: (answer: string) => unknown;
}

/** Returns the answers in order. Throws Failure if there is no terminal, naming every missing option, or if the terminal closes. */
export async function ask(
  questions: readonly Question[],
  input: NodeJS.ReadStream = process.stdin,
  output: NodeJS.WriteStream = process.stdout,
): Promise<string[]> {
  if (!input.isTTY) return answersWithoutTerminal(questions);
  const isOpen = questions.some(({ given }) => given === undefined);
  const terminal = isOpen ? createInterface({ input, output }) : undefined;
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
      answers.push(question.given ?? (await answerTo(question, fallbackOf(question, answers), read, output)));
  } finally {
    terminal?.close();
  }
  return answers;
}

/** Returns for each question the given answer or the proposed one; undefined: only a person knows it. */
export function knownAnswers(questions: readonly Question[]): (string | undefined)[] {
  const answers: (string | undefined)[] = [];
  for (const question of questions) {
    const earlier = answers.map((answer) => answer ?? '');
    answers.push(question.given ?? fallbackOf(question, earlier));
  }
  return answers;
}

function answersWithoutTerminal(questions: readonly Question[]): string[] {
  const answers = knownAnswers(questions);
  const missing = questions.filter((_, index) => answers[index] === undefined);
  if (missing.length === 0) return answers.map((answer) => answer ?? '');
  throw new Failure(`nobody can answer here, so give ${missing.map(({ option }) => option).join(', ')}`, 2);
}

const fallbackOf = ({ fallback }: Question, earlier: readonly string[]) =>
  typeof fallback === 'function' ? fallback(earlier) : fallback;

/** Asks until the answer is right. */
async function answerTo(
  { text, check }: Question,
  fallback: string | undefined,
  read: (prompt: string) => Promise<string>,
  output: NodeJS.WriteStream,
): Promise<string> {
  for (;;) {
    const answer = (await read(`${text}${fallback ? ` [${fallback}]` : ''}: `)) || (fallback ?? '');
    try {
      if (answer === '') throw new Failure('It needs an answer.');
      check?.(answer);
      return answer;
    } catch (fault) {
      output.write(`${(fault as Error).message}\n`);
    }
  }
}
