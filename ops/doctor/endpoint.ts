import { type Identity, type JsonRpc, jsonRpc } from '../../src/chain/json-rpc.ts';
import { mayBeBehind } from '../../src/chain/plan-step.ts';
import { RpcFault } from '../../src/chain/port.ts';
import type { Secret } from '../../src/lib/secret.ts';
import type { Network } from '../../src/network/network.ts';
import { fail, nodeErrorIn, ok, type Verdict } from './check.ts';

/** An endpoint that is asked alone, as the Worker asks it. */
export interface Endpoint {
  readonly ask: JsonRpc;
  /** Whether each list of calls went into one request so far. */
  readonly takesBatches: () => boolean;
}

function openEndpoint(url: Secret<string>, identity: Identity): Endpoint {
  let lists = 0;
  let requests = 0;
  const counting: typeof fetch = (input, init) => {
    requests += 1;
    return fetch(input, init);
  };
  const send = jsonRpc([url], identity, counting);
  const ask: JsonRpc = (calls) => {
    lists += 1;
    return send(calls);
  };
  return { ask, takesBatches: () => requests === lists };
}

/** What is wrong with the answers of an endpoint, or the Unix second of its newest block. */
export type Probe = (endpoint: Endpoint) => Promise<{ readonly newest: number } | Verdict>;

/** Whether the Worker can use the endpoint: of the right chain, not behind it, with what is asked of it. */
export async function checkEndpoint(
  network: Network,
  identity: Identity,
  url: Secret<string>,
  probe: Probe,
): Promise<Verdict> {
  const endpoint = openEndpoint(url, identity);
  try {
    const probed = await probe(endpoint);
    if ('type' in probed) return probed;
    if (!Number.isFinite(probed.newest)) return fail('its newest block has no time', 'name another endpoint');
    const age = Math.max(0, Math.round(Date.now() / 1000 - probed.newest));
    if (mayBeBehind(probed.newest, Date.now())) {
      return fail(`its newest block is ${age} seconds old`, 'name an endpoint that keeps up with the chain');
    }
    const batches = endpoint.takesBatches() ? '' : '; it takes no batches, and gets a request for each call';
    return ok(`of this chain, its newest block ${age} s old${batches}`);
  } catch (fault) {
    if (!(fault instanceof RpcFault)) {
      const kind = fault instanceof Error ? fault.name : typeof fault;
      return fail(`it does not answer as a node does (${kind})`, 'see that its URL is that of a node of this network');
    }
    const why = nodeErrorIn(fault);
    if (!/another chain/.test(why)) return unusableVerdict(why);
    const remedy = `name an endpoint of ${network.network} at this place of RPC_ENDPOINTS`;
    return fail(why + (await describeChain(identity, url)), remedy);
  }
}

function unusableVerdict(why: string): Verdict {
  if (/no connection|HTTP 404/.test(why)) return fail(why, 'see that its URL is right, and that its provider is up');
  if (/HTTP 3/.test(why)) return fail(`${why}: a redirect, which is not followed`, 'name the URL that it leads to');
  if (/HTTP 40[13]/.test(why)) return fail(why, 'see that the key in its URL is right, and allowed for this network');
  if (/rate limit/.test(why)) return fail(why, 'raise the limit at its provider, or name another endpoint beside it');
  return fail(why, 'name another endpoint, or ask its provider');
}

/** What an endpoint says which chain it serves, as words behind others. */
async function describeChain({ call }: Identity, url: Secret<string>): Promise<string> {
  const [answer] = await jsonRpc([url], { call, isOurChain: () => true })([call]).catch(() => []);
  const said = answer && 'result' in answer ? String(answer.result) : '';
  // What a node says is shown only where it can be no part of its URL: a number or a hash.
  if (/^0x[0-9a-f]{1,12}$/i.test(said)) return `: chain id ${Number(said)}`;
  return /^[1-9A-HJ-NP-Za-km-z]{43,44}$/.test(said) ? `: genesis hash ${said}` : '';
}
