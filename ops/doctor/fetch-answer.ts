/** What somebody who is asked by HTTP says, as far as it is read. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The beginning of the body. */
  readonly text: string;
}

/** More than any metadata has: whoever sends without end shall not fill the memory. */
const BODY_MAX_CHARACTERS = 256 * 1024;

/** The answer, or why there is none. */
export async function fetchAnswer(
  url: string,
  timeoutMs: number,
  init: RequestInit = {},
): Promise<HttpAnswer | string> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs), ...init });
    const { status, headers } = response;
    return { status, headers, text: await readBeginning(response) };
  } catch (error) {
    return causeOf(error);
  }
}

async function readBeginning({ body }: Response): Promise<string> {
  let text = '';
  for await (const part of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += part;
    if (text.length > BODY_MAX_CHARACTERS) break;
  }
  return text;
}

/** The object that the text of an answer is; empty for anything else. */
export function parseObject({ text }: HttpAnswer): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

/** What somebody says, as it may be shown: nothing of it commands a terminal. */
export function printable(said: unknown): string {
  return typeof said === 'string' ? said.slice(0, 200).replace(/[^!-~]+/g, ' ') : 'nothing';
}

/** What a fetch failed with: the code of its cause (ECONNREFUSED), or what else is known of it. */
export function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if (error.name === 'TimeoutError') return 'no answer in time';
  if (error instanceof SyntaxError) return 'no JSON';
  const { code, message } = Object(error.cause) as { code?: unknown; message?: unknown };
  return String(code ?? message ?? error.message);
}
