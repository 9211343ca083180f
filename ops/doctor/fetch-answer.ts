/** An HTTP answer with the beginning of its body. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** More than any metadata document has. An endless answer must not fill the memory. */
const BODY_MAX_CHARACTERS = 256 * 1024;

/** Returns the answer, or the reason why there is none. */
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

/** Returns the JSON object in the body, or an empty object if the body is not JSON. */
export function parseObject({ text }: HttpAnswer): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

/** Returns the string in a form that is safe to print: printable ASCII only, so that it cannot control the terminal. */
export function printable(said: unknown): string {
  return typeof said === 'string' ? said.slice(0, 200).replace(/[^!-~]+/g, ' ') : 'nothing';
}

/** Returns why a fetch failed: the code of its cause, for example ECONNREFUSED, or a message. */
export function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if (error.name === 'TimeoutError') return 'no answer in time';
  if (error instanceof SyntaxError) return 'the answer is not JSON';
  const { code, message } = Object(error.cause) as { code?: unknown; message?: unknown };
  return String(code ?? message ?? error.message);
}
