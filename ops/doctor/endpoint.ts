import { isOld } from '../../src/chain/block-age.ts';
import { type Identity, type JsonRpc, jsonRpc } from '../../src/chain/json-rpc.ts';
import { type FaultCode, RpcFault } from '../../src/chain/port.ts';
import type { Secret } from '../../src/lib/secret.ts';
import type { Network } from '../../src/network/network.ts';
import { nodeErrorIn } from '../nodes/node-error.ts';
import { fail, ok, type Verdict } from './check.ts';

/** A single endpoint that the doctor calls as the Worker does. */
export interface Endpoint {
  readonly ask: JsonRpc;
  /** Whether it answered at least a part of every batch so far. */
  readonly takesBatches: () => boolean;
}

function openEndpoint(url: Secret<string>, identity: Identity): Endpoint {
  let takesBatches = true;
  const watching: typeof fetch = (input, init) => {
    const { method } = JSON.parse(String(init?.body));
    // The Worker asks for the chain alone only after a refused batch.
    if (method === identity.call.method) takesBatches = false;
    return fetch(input, init);
  };
  return { ask: jsonRpc([url], identity, watching), takesBatches: () => takesBatches };
}

/** Returns the Unix second of the endpoint's newest block, or a verdict on its answers. */
export type Probe = (endpoint: Endpoint) => Promise<{ readonly newest: number } | Verdict>;

/** Checks whether the Worker can use the endpoint: right chain, a current block, and an answer to the probe. */
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
    if (!Number.isFinite(probed.newest)) return fail('its newest block has no time', 'use another endpoint');
    const age = Math.max(0, Math.round(Date.now() / 1000 - probed.newest));
    if (isOld(probed.newest, Date.now())) {
      return fail(`its newest block is ${age} seconds old`, 'use an endpoint that keeps up with the chain');
    }
    const batches = endpoint.takesBatches()
      ? ''
      : '; it accepts no batches, so the service sends a request for each call';
    return ok(`it serves this chain, and its newest block is ${age} s old${batches}`);
  } catch (fault) {
    if (!(fault instanceof RpcFault)) {
      const kind = fault instanceof Error ? fault.name : typeof fault;
      return fail(
        `its answers are not those of a node (${kind})`,
        'check that its URL belongs to a node of this network',
      );
    }
    const why = nodeErrorIn(fault);
    const [code = 'other'] = fault.codes;
    if (code !== 'another-chain') return fail(why + (DETAILS[code] ?? ''), REMEDIES[code]);
    const remedy = `replace it in RPC_ENDPOINTS by an endpoint of ${network.network}`;
    return fail(why + (await describeChain(identity, url)), remedy);
  }
}

const CHECK_URL = 'check its URL, and whether its provider is up';
const ASK_PROVIDER = 'use another endpoint, or ask its provider';
const REMEDIES: Readonly<Record<Exclude<FaultCode, 'another-chain'>, string>> = {
  'no-connection': CHECK_URL,
  'not-found': CHECK_URL,
  redirect: 'use the URL that it redirects to',
  unauthorized: 'check that the key in its URL is right and allowed for this network',
  'rate-limit': 'raise the limit at its provider, or add another endpoint',
  'no-history': ASK_PROVIDER,
  other: ASK_PROVIDER,
};
const DETAILS: Readonly<Partial<Record<FaultCode, string>>> = { redirect: ': the Worker does not follow redirects' };

/** Returns the chain that an endpoint claims to serve, to be appended to a message; empty if unknown. */
async function describeChain({ call, errors }: Identity, url: Secret<string>): Promise<string> {
  const [answer] = await jsonRpc([url], { call, isOurChain: () => true, errors })([call]).catch(() => []);
  const claimed = answer && 'result' in answer ? String(answer.result) : '';
  // Only a number or a hash is shown: any other answer may contain part of the URL.
  if (/^0x[0-9a-f]{1,12}$/i.test(claimed)) return `: chain id ${Number(claimed)}`;
  return /^[1-9A-HJ-NP-Za-km-z]{43,44}$/.test(claimed) ? `: genesis hash ${claimed}` : '';
}
