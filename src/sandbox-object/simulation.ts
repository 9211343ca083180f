import type { Answered, Asked, NodeMethod } from '../chain/sandbox/simulated-node.ts';
import type { Milliseconds } from '../lib/brand.ts';
import { DAY_SECONDS, SECOND_MS } from '../lib/time.ts';
import type { Chain } from '../network/network.ts';
import { findNetwork, NETWORKS } from '../network/networks.ts';
import type { Wallet } from '../network/wallet.ts';
import { blockAt } from './blocks.ts';
import { Ledger } from './ledger.ts';
import { Node } from './node.ts';
import type { Script } from './scripts.ts';
import { createTables } from './tables.ts';
import type { Operation } from './tokens.ts';

/** Maximum time that the clock may be ahead. */
const AHEAD_MAX_SECONDS = 400 * DAY_SECONDS;

/** A network of the sandbox. */
export interface SimulatedNetwork {
  readonly chain: Chain;
  readonly network: string;
}

/** The simulated networks of a sandbox, and its clock. */
export class Simulation {
  readonly #storage: DurableObjectStorage;
  readonly #began: Milliseconds;

  constructor({ storage }: Pick<DurableObjectState, 'storage'>, _env?: Env) {
    this.#storage = storage;
    createTables(storage.sql);
    const began = storage.kv.get<Milliseconds>('began');
    if (began === undefined) storage.kv.put('began', Date.now());
    this.#began = began ?? Date.now();
  }

  /** Returns how many seconds the clock of the sandbox is ahead of the time. */
  secondsAhead(): number {
    return this.#storage.kv.get<number>('ahead') ?? 0;
  }

  /** Advances the clock. Returns how many seconds it is ahead then; undefined: that is not possible, and nothing changes. */
  advance(seconds: number): number | undefined {
    const ahead = this.secondsAhead() + seconds;
    if (!Number.isSafeInteger(seconds) || seconds < 0 || ahead > AHEAD_MAX_SECONDS) return undefined;
    this.#storage.kv.put('ahead', ahead);
    return ahead;
  }

  /** Answers as a node of the network. Throws if there is no such network. */
  ask<M extends NodeMethod>(network: SimulatedNetwork, method: M, asked: Asked<M>): Answered<M> {
    return this.#at(network, (ledger) => {
      const node = new Node(ledger);
      return (node[method] as (...items: Asked<M>) => Answered<M>)(...asked);
    });
  }

  /** Gives a wallet another script. */
  assign(network: SimulatedNetwork, wallet: Wallet, script: Script): void {
    this.#at(network, (ledger) => ledger.assign(wallet, script));
  }

  /** Has others change the token of a wallet, in the next block. */
  changeByOthers(network: SimulatedNetwork, wallet: Wallet, change: Omit<Operation, 'token'>): void {
    this.#at(network, (ledger) => ledger.scheduleChange(wallet, change));
  }

  async fireAlarm(): Promise<void> {}

  #at<T>({ chain, network }: SimulatedNetwork, work: (ledger: Ledger) => T): T {
    if (findNetwork(NETWORKS, chain, network) === undefined) throw new Error('no such network');
    const head = blockAt(Date.now() - this.#began + this.secondsAhead() * SECOND_MS);
    return this.#storage.transactionSync(() =>
      work(new Ledger(this.#storage.sql, { chain, network, head, began: this.#began })),
    );
  }
}
