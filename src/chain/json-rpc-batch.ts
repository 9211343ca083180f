/** How calls are written, and put together into HTTP requests. */

export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
  /** It has no business failing: an endpoint that answers it with an error is at fault, and the next is asked. */
  readonly needed?: boolean;
}

/** A call as it is sent. */
export interface NumberedCall {
  readonly id: number;
  readonly text: string;
  readonly needed: boolean;
}

/** What goes into one HTTP request at most. */
export interface BatchSize {
  readonly calls: number;
  readonly bytes: number;
}

export function numberCall({ method, params, needed = false }: RpcCall, id: number): NumberedCall {
  return { id, needed, text: JSON.stringify({ jsonrpc: '2.0', id, method, params }, asNumbers) };
}

/** Slots and sizes are far below what a JSON number holds exactly. */
function asNumbers(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}

/**
 * The requests in parts of that size, one at least in each, behind those that go with every part, since another node may
 * answer each. Where there are no batches, those come first, once, and each is a part for itself when the others have gone.
 */
export function splitIntoBatches(
  waiting: readonly NumberedCall[],
  first: readonly NumberedCall[],
  most: BatchSize,
): NumberedCall[][] {
  if (most.calls <= first.length) return [waiting.slice(0, 1)];
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

/** Alone, a call is no batch: some nodes take none. */
export function bodyOf(requests: readonly NumberedCall[]): string {
  const texts = requests.map(({ text }) => text).join();
  return requests.length === 1 ? texts : `[${texts}]`;
}
