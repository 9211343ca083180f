import { chainOf } from '../../../tools/localnet/partner/chain-of.ts';
import type { LocalnetFacts } from '../../../tools/localnet/state/localnet-facts.ts';
import { keyedPath } from '../e2e/plant-secrets.ts';
import type { Random } from './random.ts';
import { NO_FAULTS, randomFaults, type Severity } from './random-faults.ts';
import { withRandomLies } from './random-lies.ts';
import type { RpcFault } from './rpc-fault.ts';
import { type RpcProxy, startRpcProxy } from './rpc-proxy.ts';

/** The localnet's nodes, each behind two endpoints with independent faults. At most one of the two lies at a time. */
export interface FaultyNodes {
  /** The endpoints of each network. Every URL contains a key. */
  readonly rpc: Readonly<Record<string, readonly string[]>>;
  /** Sets how often requests fail from now on. At first no request fails. */
  setSeverity(severity: Severity): void;
  /** Gives this fault to every request from now on. With undefined, the severity decides again. */
  forceFault(fault: RpcFault | undefined): void;
  /** Returns how often each fault has happened, summed over all endpoints. */
  faultCounts(): Readonly<Record<string, number>>;
  /** Returns the signed bytes that the endpoints received. */
  sentTransactions(): readonly string[];
  stop(): void;
}

const ENDPOINTS_PER_NODE = 2;

export async function startFaultyNodes({ rpc, gatewayToken }: LocalnetFacts, random: Random): Promise<FaultyNodes> {
  let severity = NO_FAULTS;
  let forced: RpcFault | undefined;
  const all: RpcProxy[] = [];
  const urls: [network: string, urls: string[]][] = [];
  for (const [network, node] of Object.entries(rpc)) {
    const chain = chainOf(network);
    const otherChain = Object.entries(rpc).find(([each]) => each !== network && chainOf(each) === chain)?.[1];
    const proxies: RpcProxy[] = [];
    const faults = Array.from({ length: ENDPOINTS_PER_NODE }, () => randomFaults(chain, random.fork(), () => severity));
    for (const faultOf of withRandomLies(chain, random.fork(), () => severity, faults)) {
      const behind = { chain, node, otherChain, gateway: gatewayToken[network] };
      proxies.push(await startRpcProxy(behind, (calls) => forced ?? faultOf(calls)));
    }
    all.push(...proxies);
    urls.push([network, proxies.map(({ url }, index) => url + keyedPath(index))]);
  }
  return {
    rpc: Object.fromEntries(urls),
    setSeverity(next) {
      severity = next;
    },
    forceFault(fault) {
      forced = fault;
    },
    faultCounts() {
      const sums = new Map<string, number>();
      for (const [fault, times] of all.flatMap(({ faultCounts }) => [...faultCounts])) {
        sums.set(fault, (sums.get(fault) ?? 0) + times);
      }
      return Object.fromEntries(sums);
    },
    sentTransactions: () => all.flatMap((proxy) => [...proxy.sentTransactions]),
    stop() {
      for (const proxy of all) proxy.stop();
    },
  };
}
