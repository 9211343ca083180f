import createClient from 'openapi-fetch';
import { GatepassProblem } from './errors.ts';
import type { Pass, PassKey } from './pass.ts';
import type { operations, paths } from './schema.ts';
import type { Send } from './send.ts';

export type Service = ReturnType<typeof createService>;

/** The operations of the service, with types from its OpenAPI document. */
export function createService(baseUrl: string, send: Send) {
  return createClient<paths>({
    baseUrl,
    // Commas separate the values of a list.
    querySerializer: { array: { style: 'form', explode: false } },
    async fetch(request) {
      const { url, method, headers, signal } = request;
      // Read the body once, because it may be sent several times.
      const body = (await request.text()) || null;
      const answer = await send({ url, method, headers: Object.fromEntries(headers), body, signal });
      if (answer.ok && answer.status !== 204 && !(await isJson(answer.clone())))
        throw new GatepassProblem(answer, undefined);
      return answer;
    },
  });
}

/** A gateway in between may answer anything. */
async function isJson(answer: Response): Promise<boolean> {
  if (!/[/+]json\b/.test(answer.headers.get('content-type') ?? '')) return false;
  return answer.json().then(
    () => true,
    () => false,
  );
}

/** Options of each call. */
export interface Options {
  /** Seconds, at most 20. The call returns when the pass is settled, or after this time with the pass as it is. */
  readonly wait?: number;
  readonly signal?: AbortSignal | undefined;
}

/** A call about a pass in the form of `openapi-fetch`. */
export function requestOptions<Path>(path: Path, { wait, signal }: Options) {
  return {
    params: { path, ...(wait !== undefined && { header: { Prefer: `wait=${wait}` } }) },
    signal: signal ?? null,
  };
}

type WalletPath = operations['getPass']['parameters']['path'];

export function pathOf({ chain, walletAddress }: PassKey | Pass): WalletPath {
  // The service may have values that this version of the client does not know.
  return { chain: chain.type, chainNetwork: chain.network, wallet: walletAddress } as WalletPath;
}
