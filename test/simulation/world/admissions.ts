import { type Chains, isAdmitted } from './chains.ts';
import { type ChainNetwork, type PassKey, textOf, WALLETS } from './networks.ts';

/** A wallet whose admission a world notes. */
interface Watched {
  readonly key: PassKey;
  /** The state of the chain that was noted last. */
  noted: unknown;
}

/** Notes when the chains admit the wallets about which clients have asked. */
export class Admissions {
  readonly #chains: Chains;
  readonly #now: () => number;
  readonly #watched: Readonly<Record<ChainNetwork, Watched[]>> = { sepolia: [], devnet: [] };
  /** When a chain began and ended to admit a wallet (Unix milliseconds). */
  readonly #changes = new Map<string, { readonly at: number; readonly isAdmitted: boolean }[]>();

  /** @param now Returns the time (Unix milliseconds). */
  constructor(chains: Chains, now: () => number) {
    this.#chains = chains;
    this.#now = now;
  }

  /** From now on, notes when the chain admits the wallet. */
  watch(key: PassKey): void {
    if (!this.isWatched(key)) this.#watched[key.network].push({ key, noted: undefined });
  }

  /** Whether a client has asked about the wallet. */
  isWatched({ gatekeeperNetwork, network, wallet }: PassKey): boolean {
    return this.watchedOn(network).some(
      (each) => each.gatekeeperNetwork === gatekeeperNetwork && each.wallet === wallet,
    );
  }

  watchedOn(network: ChainNetwork): PassKey[] {
    return this.#watched[network].map(({ key }) => key);
  }

  /** Returns one of the wallets of a gatekeeper network about which a client has asked; without one, the wallet of that number. */
  walletIn(gatekeeperNetwork: string, network: ChainNetwork, index: number): string {
    const own = this.watchedOn(network).filter((each) => each.gatekeeperNetwork === gatekeeperNetwork);
    return own[index % Math.max(1, own.length)]?.wallet ?? (WALLETS[network][index] as string);
  }

  /** Whether the chain admits the wallet now. */
  isAdmitted(key: PassKey): boolean {
    return isAdmitted(this.#chains, key, Math.floor(this.#now() / 1_000));
  }

  /** Whether the chain admitted a wallet at some time between the two (Unix milliseconds), in any of its forks. */
  wasAdmitted(key: PassKey, from: number, until: number): boolean {
    const changes = this.#changes.get(textOf(key)) ?? [];
    return changes.some(
      (change, index) =>
        change.isAdmitted && change.at <= until && (changes[index + 1]?.at ?? Number.POSITIVE_INFINITY) >= from,
    );
  }

  /** Whether the chain admitted a wallet all the time between the two (Unix milliseconds). */
  wasAdmittedThroughout(key: PassKey, from: number, until: number): boolean {
    const changes = this.#changes.get(textOf(key)) ?? [];
    const newest = changes.findLast(({ at }) => at <= until);
    return newest?.isAdmitted === true && newest.at <= from;
  }

  /** Notes the wallets that the newest block of a network admits. */
  note(network: ChainNetwork): void {
    const { sepolia, devnet } = this.#chains;
    const version = network === 'sepolia' ? sepolia.head.state : devnet.changes;
    for (const watched of this.#watched[network]) {
      const text = textOf(watched.key);
      const changes = this.#changes.get(text) ?? [];
      const before = changes.at(-1)?.isAdmitted ?? false;
      // Without a change, an admitted wallet may expire, and no other one may be admitted.
      if (watched.noted === version && !before) continue;
      watched.noted = version;
      const now = this.isAdmitted(watched.key);
      if (before !== now) changes.push({ at: this.#now(), isAdmitted: now });
      this.#changes.set(text, changes);
    }
  }
}
