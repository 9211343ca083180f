/** Encodes JSON-RPC calls and groups them into HTTP requests. */

export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
  /** Whether the call must succeed: then an error of any kind is no answer, and the next endpoint is asked. */
  readonly needed?: boolean;
}

/** An encoded call with its id. */
export interface NumberedCall {
  readonly id: number;
  readonly text: string;
}

/** Maximum size of one HTTP request. */
export interface BatchSize {
  readonly calls: number;
  readonly bytes: number;
}

export function numberCall({ method, params }: RpcCall, id: number): NumberedCall {
  return { id, text: JSON.stringify({ jsonrpc: '2.0', id, method, params }, asNumbers) };
}

/** Converts bigints, since slots and sizes are far below 2^53. */
function asNumbers(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}

/**
 * Splits the waiting calls into parts of at most that size, with at least one call each. Every part begins with the calls
 * `first`, because another node may answer each part. If the size allows no batches, each call goes out alone, and the calls
 * `first` once, before the others.
 */
export function splitIntoBatches(
  waiting: readonly NumberedCall[],
  first: readonly NumberedCall[],
  most: BatchSize,
): NumberedCall[][] {
  if (most.calls <= first.length) {
    const proof = waiting.find((each) => first.includes(each));
    return proof ? [[proof]] : waiting.map((each) => [each]);
  }
  const parts: NumberedCall[][] = [];
  let length = 0;
  for (const request of waiting.filter((each) => !first.includes(each))) {
    const part = parts.at(-1);
    length += request.text.length;
    if (part === undefined || part.length === most.calls || length > most.bytes) {
      parts.push([...first, request]);
      length = lengthOf(first) + request.text.length;
    } else part.push(request);
  }
  return parts.length === 0 ? [[...first]] : parts;
}

export function lengthOf(part: readonly NumberedCall[]): number {
  return part.reduce((sum, { text }) => sum + text.length, 0);
}

/** Returns the body of a request. A single call is not sent as a batch, because some nodes accept no batches. */
export function bodyOf(requests: readonly NumberedCall[]): string {
  const texts = requests.map(({ text }) => text).join();
  return requests.length === 1 ? texts : `[${texts}]`;
}

/**
 * Returns the URL of an endpoint without user and password, and the header that carries them (RFC 7617). Some providers
 * authenticate by a user and a password in the URL: `fetch` in Workers drops them silently, and in Node it refuses such URLs.
 */
export function endpointRequestOf(text: string): {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
} {
  // Fast path: every request to a node calls this function, and few URLs have credentials.
  if (!text.includes('@')) return { url: text, headers: {} };
  const url = new URL(text);
  const { username, password } = url;
  if (username === '' && password === '') return { url: text, headers: {} };
  url.username = '';
  url.password = '';
  const bytes = new TextEncoder().encode(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
  return { url: url.href, headers: { authorization: `Basic ${btoa(String.fromCharCode(...bytes))}` } };
}
