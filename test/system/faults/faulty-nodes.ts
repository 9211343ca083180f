import { chainOf } from '../../../localnet/partner/fresh-wallet.ts';
import type { LocalnetFacts } from '../../../localnet/state/localnet-facts.ts';
import { keyedPath } from '../e2e/planted.ts';
import type { Random } from './random.ts';
import { CALM, randomFaults, type Severity } from './random-faults.ts';
import type { RpcFault } from './rpc-fault.ts';
import { type RpcProxy, startRpcProxy } from './rpc-proxy.ts';

/** The localnet's nodes, each behind two endpoints that fail independently. */
export interface FaultyNodes {
  /** The endpoints of each network, with a key in every URL. */
  readonly rpc: Readonly<Record<string, readonly string[]>>;
  /** How bad they are from now on; at first, calm. */
  become(severity: Severity): void;
  /** From now on that befalls every request, to all of them. */
  suffer(fault: RpcFault): void;
  /** How often each fault befell a request so far, of all endpoints. */
  befallen(): Readonly<Record<string, number>>;
  /** The signed bytes that were to be handed on. */
  sent(): readonly string[];
  stop(): Promise<void>;
}

const ENDPOINTS = 2;

export async function startFaultyNodes({ rpc }: LocalnetFacts, random: Random): Promise<FaultyNodes> {
  let severity = CALM;
  let suffered: RpcFault | undefined;
  const all: RpcProxy[] = [];
  const urls: [network: string, urls: string[]][] = [];
  for (const [network, node] of Object.entries(rpc)) {
    const chain = chainOf(network);
    const otherChain = Object.entries(rpc).find(([each]) => each !== network && chainOf(each) === chain)?.[1];
    const proxies: RpcProxy[] = [];
    for (let count = 0; count < ENDPOINTS; count++) {
      const faults = randomFaults(chain, random.fork(), () => severity);
      proxies.push(await startRpcProxy({ chain, node, otherChain }, (calls) => suffered ?? faults(calls)));
    }
    all.push(...proxies);
    urls.push([network, proxies.map(({ url }, index) => url + keyedPath(index))]);
  }
  return {
    rpc: Object.fromEntries(urls),
    become(next) {
      severity = next;
    },
    suffer(fault) {
      suffered = fault;
    },
    befallen() {
      const sums = new Map<string, number>();
      for (const [fault, times] of all.flatMap(({ befallen }) => [...befallen])) {
        sums.set(fault, (sums.get(fault) ?? 0) + times);
      }
      return Object.fromEntries(sums);
    },
    sent: () => all.flatMap(({ sent }) => [...sent]),
    async stop() {
      await Promise.all(all.map((proxy) => proxy.stop()));
    },
  };
}
