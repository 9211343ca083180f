import { lostIndex } from '../ethereum/faults.ts';
import { type Alter as AlterEthereum, EthereumNode } from '../ethereum/node.ts';
import { type Alter as AlterSolana, SolanaNode } from '../solana/node.ts';
import type { Chains } from './chains.ts';
import type { ChainNetwork } from './networks.ts';

const hostOf = (network: ChainNetwork, index: number) => `${network}-${index}.example`;
const SENDS = ['eth_sendRawTransaction', 'sendTransaction'];

/** Returns the URLs of that many endpoints of a network. */
export const endpointUrls = (network: ChainNetwork, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `https://${hostOf(network, index)}`);

/** The endpoints of each network, and their faults. */
export class Endpoints {
  /** When a node got each transaction first (Unix milliseconds), by its identifier. */
  readonly sentAt = new Map<string, number>();
  /** Number of requests so far. */
  requests = 0;
  /** Called with the body of each request that a node of the network reads. */
  onRequest: (network: ChainNetwork, asked: string) => void = () => {};
  readonly #chains: Chains;
  readonly #nodes: { readonly sepolia: readonly EthereumNode[]; readonly devnet: readonly SolanaNode[] };
  readonly #now: () => number;
  /** The hosts that do not answer. */
  readonly #silent = new Set<string>();
  /** Faults of sepolia that no repair ends, by the number of the endpoint. */
  readonly #lasting = new Map<number, AlterEthereum>();

  /**
   * @param count Number of endpoints of each network.
   * @param now Returns the time (Unix milliseconds).
   */
  constructor(chains: Chains, count: number, now: () => number) {
    this.#chains = chains;
    this.#nodes = {
      sepolia: Array.from({ length: count }, () => new EthereumNode(chains.sepolia)),
      devnet: Array.from({ length: count }, () => new SolanaNode(chains.devnet)),
    };
    this.#now = now;
  }

  /** Whether no other endpoint contradicts one. */
  get hasOne(): boolean {
    return this.#nodes.sepolia.length === 1;
  }

  /** Returns the number of an endpoint: a step may name a higher one than there are. */
  #wrap(index: number): number {
    return index % this.#nodes.sepolia.length;
  }

  /** Returns the answer of the endpoint with that host to a request. */
  async answer(host: string, request: Request): Promise<Response> {
    const [network = '', index = ''] = host.replace('.example', '').split('-');
    const node = this.#nodes[network as ChainNetwork]?.[Number(index)];
    if (node === undefined) return new Response('nobody is here', { status: 404 });
    this.requests += 1;
    if (this.#silent.has(host)) return new Promise(() => {});
    const asked = await request.text();
    this.onRequest(network as ChainNetwork, asked);
    const said = node.answer(asked);
    this.#noteSent(asked, said);
    return new Response(said, { headers: { 'content-type': 'application/json' } });
  }

  /** Notes the transactions that a node has taken. */
  #noteSent(asked: string, said: string): void {
    if (!SENDS.some((method) => asked.includes(`"${method}"`))) return;
    const answers = [JSON.parse(said)].flat() as { readonly id: unknown; readonly result?: unknown }[];
    for (const { id, method } of [JSON.parse(asked)].flat())
      if (SENDS.includes(method)) {
        const sent = answers.find((each) => each.id === id)?.result;
        if (typeof sent === 'string' && !this.sentAt.has(sent)) this.sentAt.set(sent, this.#now());
      }
  }

  /** An endpoint does not answer until it speaks again. */
  silence(network: ChainNetwork, index: number): void {
    this.#silent.add(hostOf(network, this.#wrap(index)));
  }

  /** An endpoint answers again. */
  unsilence(network: ChainNetwork, index: number): void {
    this.#silent.delete(hostOf(network, this.#wrap(index)));
  }

  /** An endpoint is that many blocks behind. */
  delay(network: ChainNetwork, index: number, blocks: number): void {
    const node = this.#nodes[network][this.#wrap(index)];
    if (node) node.lag = blocks;
  }

  /** Gives an endpoint of sepolia a fault until it is repaired. */
  alterSepolia(index: number, fault: AlterEthereum | undefined): void {
    const node = this.#nodes.sepolia[this.#wrap(index)];
    const lasting = this.#lasting.get(this.#wrap(index));
    if (node) node.alter = fault && lasting ? (call, said) => fault(call, lasting(call, said)) : (fault ?? lasting);
  }

  /** Gives an endpoint of devnet a fault until it is repaired. */
  alterDevnet(index: number, fault: AlterSolana | undefined): void {
    const node = this.#nodes.devnet[this.#wrap(index)];
    if (node) node.alter = fault;
  }

  /** An endpoint of sepolia loses its index of the transactions until now, for good. */
  loseIndex(index: number): void {
    this.#lasting.set(this.#wrap(index), lostIndex(this.#chains.sepolia.head.number));
    this.alterSepolia(index, undefined);
  }

  /** Ends the faults of all endpoints of a network that a repair can end. */
  heal(network: ChainNetwork): void {
    for (const [index, node] of this.#nodes[network].entries()) {
      node.lag = 0;
      node.swallows = false;
      node.alter = network === 'sepolia' ? this.#lasting.get(index) : undefined;
    }
    for (const host of [...this.#silent]) if (host.startsWith(network)) this.#silent.delete(host);
  }
}
