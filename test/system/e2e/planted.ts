import { randomBytes } from 'node:crypto';
import { base58 } from '@scure/base';
import { GATEKEEPER_KEYS } from '../../../localnet/ethereum/gatekeepers.ts';
import { OPERATOR, PARTNERS } from '../../../localnet/oauth/partners.ts';
import { chainOf } from '../../../localnet/partner/fresh-wallet.ts';
import { SOLANA_GATEKEEPER_KEYS } from '../../../localnet/solana/gatekeepers.ts';
import { type RpcProxy, startRpcProxy } from '../faults/rpc-proxy.ts';
import type { Canary } from './canary.ts';

/** What stands behind the host in the URL of a provider: a key of its own, in the query or in the path by turns. */
export function keyedPath(index: number): string {
  return (index % 2 === 0 ? '/?apikey=' : '/v3/') + randomBytes(KEY_LENGTH / 2).toString('hex');
}

const KEY_LENGTH = 32;

/** The key in such a URL. */
export function plantKeyOf(canary: Canary, url: string): void {
  canary.plant('the key of an endpoint', url.slice(-KEY_LENGTH));
}

/** Everything secret that a Worker of the localnet is given, or that its partners have. */
export function plantKeys(canary: Canary, signingKey: object): void {
  for (const key of GATEKEEPER_KEYS) canary.plant('a gatekeeper of Ethereum', Buffer.from(key.slice(2), 'hex'));
  for (const pair of SOLANA_GATEKEEPER_KEYS.map((key) => base58.decode(key))) {
    canary.plant('a gatekeeper of Solana', pair);
    canary.plant('a gatekeeper of Solana', pair.subarray(0, 32));
  }
  for (const { clientId, clientSecret } of [...PARTNERS, OPERATOR]) {
    canary.plant('a client secret', clientSecret);
    canary.plant('the credentials of a client', `${clientId}:${clientSecret}`);
  }
  for (const part of ['d', 'p', 'q', 'dp', 'dq', 'qi']) {
    canary.plantTexts('the key of the issuer', [String((signingKey as Record<string, unknown>)[part])]);
  }
}

/** The localnet's nodes, as the Worker asks them: by URLs that hold a key. */
export class KeyedNodes {
  readonly #proxies: { readonly proxy: RpcProxy; readonly path: string }[] = [];
  readonly #canary: Canary;

  constructor(canary: Canary) {
    this.#canary = canary;
  }

  /** The URLs to use instead of these, by network. */
  async inFrontOf(nodes: Readonly<Record<string, string>>): Promise<Readonly<Record<string, string>>> {
    const urls = Object.entries(nodes).map(async ([network, node], index) => {
      const path = keyedPath(index);
      plantKeyOf(this.#canary, path);
      const proxy = await startRpcProxy({ chain: chainOf(network), node }, () => undefined);
      this.#proxies.push({ proxy, path });
      return [network, proxy.url + path] as const;
    });
    return Object.fromEntries(await Promise.all(urls));
  }

  /** Plants what was handed to the nodes; returns how many of them were asked, each by its key and no other way. */
  plantSent(): number {
    for (const { proxy } of this.#proxies) for (const bytes of proxy.sent) this.#canary.plantSigned(bytes);
    const asked = this.#proxies.filter(({ proxy }) => proxy.asked.size > 0);
    return asked.filter(({ proxy, path }) => [...proxy.asked].every((each) => each === path)).length;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#proxies.map(({ proxy }) => proxy.stop()));
  }
}
