import { type Refusal, refuse } from './problem.ts';

const MAX_BYTES = 16 * 1024;

/** The JSON value in the body; no body at all is `{}`. Reads no more than it takes to know that it is too large. */
export async function readJson(request: Request): Promise<{ value: unknown } | Refusal> {
  if (Number(request.headers.get('content-length') ?? 0) > MAX_BYTES) return refuse('body_too_large');
  const bytes = request.body === null ? new Uint8Array() : await readUpTo(request.body, MAX_BYTES);
  if (bytes === undefined) return refuse('body_too_large');
  if (bytes.length === 0) return { value: {} };
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/json\s*(;|$)/i.test(type)) return refuse('unsupported_media_type');
  try {
    return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)) };
  } catch {
    return refuse('invalid_json');
  }
}

async function readUpTo(stream: ReadableStream<Uint8Array>, limit: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    length += chunk.length;
    if (length > limit) return undefined;
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
