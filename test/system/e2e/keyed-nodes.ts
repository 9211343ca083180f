import { chainOf } from '../../../tools/localnet/partner/chain-of.ts';
import { type RpcProxy, startRpcProxy } from '../faults/rpc-proxy.ts';
import type { Canary } from './canary.ts';
import { keyedPath, plantEndpointKey } from './plant-secrets.ts';

/** Proxies in front of the localnet's nodes. The Worker calls them by URLs that contain a key. */
export class KeyedNodes {
  readonly #proxies: { readonly proxy: RpcProxy; readonly path: string }[] = [];
  readonly #canary: Canary;

  constructor(canary: Canary) {
    this.#canary = canary;
  }

  /** Starts a proxy for each node. Resolves to the URLs of the proxies by network. */
  async start(nodes: Readonly<Record<string, string>>): Promise<Readonly<Record<string, string>>> {
    const urls = Object.entries(nodes).map(async ([network, node], index) => {
      const path = keyedPath(index);
      plantEndpointKey(this.#canary, path);
      const proxy = await startRpcProxy({ chain: chainOf(network), node }, () => undefined);
      this.#proxies.push({ proxy, path });
      return [network, proxy.url + path] as const;
    });
    return Object.fromEntries(await Promise.all(urls));
  }

  /** Plants the transactions that the nodes received. Returns how many nodes got requests, all with the right key. */
  plantTransactions(): number {
    for (const { proxy } of this.#proxies) for (const bytes of proxy.sentTransactions) this.#canary.plantSigned(bytes);
    const asked = this.#proxies.filter(({ proxy }) => proxy.requestedPaths.size > 0);
    return asked.filter(({ proxy, path }) => [...proxy.requestedPaths].every((each) => each === path)).length;
  }

  stop(): void {
    for (const { proxy } of this.#proxies) proxy.stop();
  }
}
