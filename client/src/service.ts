import createClient from 'openapi-fetch';
import { GatepassProblem } from './errors.ts';
import type { Pass, PassKey } from './pass.ts';
import type { operations, paths } from './schema.ts';
import type { Send } from './send.ts';

/** The operations of the service, typed by its document. */
export function createService(baseUrl: string, send: Send) {
  return createClient<paths>({
    baseUrl,
    async fetch(request) {
      const { url, method, headers, signal } = request;
      // Read once: it may be sent several times.
      const body = (await request.text()) || null;
      const answer = await send({ url, method, headers: Object.fromEntries(headers), body, signal });
      if (answer.ok && !(await isJson(answer.clone()))) throw new GatepassProblem(answer, undefined);
      return answer;
    },
  });
}

/** What somebody in between answers may be anything. */
async function isJson(answer: Response): Promise<boolean> {
  if (!/[/+]json\b/.test(answer.headers.get('content-type') ?? '')) return false;
  return answer.json().then(
    () => true,
    () => false,
  );
}

/** What may be said with each call. */
export interface Options {
  /** Seconds, 20 at the most: the answer comes when the pass has settled; at the latest then, with the pass as it is. */
  readonly wait?: number;
  readonly signal?: AbortSignal | undefined;
}

/** A call about a pass, as `openapi-fetch` takes it. */
export function requestOptions<Path>(path: Path, { wait, signal }: Options) {
  return {
    params: { path, ...(wait !== undefined && { header: { Prefer: `wait=${wait}` } }) },
    signal: signal ?? null,
  };
}

type WalletPath = operations['getPass']['parameters']['path'];

export function pathOf({ chain, walletAddress }: PassKey | Pass): WalletPath {
  // What the service shows may have names that this client does not know yet; the service knows them.
  return { chain: chain.type, chainNetwork: chain.network, wallet: walletAddress } as WalletPath;
}
