import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Hex } from 'viem';
import { apply, type Block, nonceIn, type Receipt, type State, TRANSFER_GAS, tipOver } from './block.ts';
import { type ContractOptions, createGateway, gasOf, isTokenValid, tokensIn } from './gateway-contract.ts';
import { readTransaction, type Transaction } from './transaction.ts';
import { lower } from './words.ts';

/** An Ethereum-type chain with gateway contracts that is plain code: the world gives the time, and nothing is random. */

export interface ChainOptions {
  readonly chainId: number;
  readonly contracts: readonly ContractOptions[];
  /** Unix seconds. The chain has made its first blocks by then. */
  readonly genesisTime: number;
  /** Time between the first blocks. */
  readonly blockSeconds: number;
  /** How many blocks must follow a block until it is final. */
  readonly finalDistance: number;
  /** Number of the newest block at first. By default, the chain has a final block. */
  readonly firstBlock?: number;
}

/** The chain or its node refuses a call. The code and the message are those of go-ethereum. */
export class Refusal extends Error {
  readonly code: number;

  constructor(message: string, code = SERVER_ERROR) {
    super(message);
    this.code = code;
  }
}

const SERVER_ERROR = -32_000;

/** A replacement pays at least a tenth more (geth). */
const REPLACEMENT_PERCENT = 110n;
/** As much as anvil gives to its accounts. */
const FUNDS = 10_000n * 10n ** 18n;
const GWEI = 10n ** 9n;
/** More blocks than those of which the service measures the time. */
const USUAL_BLOCKS = 16;
const PROXY_CODE = '0x60806040';
const IMPLEMENTATION_CODE = '0x60806041';
/** The code by which the service knows SlimGateway. */
export const { deployedBytecode: SLIM_CODE }: { readonly deployedBytecode: Hex } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../packages/contracts/artifacts/SlimGateway.json'), 'utf8'),
);

export class EthereumChain {
  readonly chainId: number;
  /** The price of the next block, in wei per gas. */
  baseFee = GWEI;
  /** The tip that nodes quote, in wei per gas. */
  tip = GWEI;
  /** Code by address. */
  readonly codes = new Map<Hex, Hex>();
  /** The wei of accounts, apart from the gas that they paid; 10,000 coins by default. They hold at every block. */
  readonly funds = new Map<Hex, bigint>();
  readonly finalDistance: number;
  /** Number of the newest block that cannot leave the chain. */
  final = 0;
  readonly #blocks: Block[] = [];
  /** The waiting transactions by hash, also those that a replacement outbids: a block may include each of them. */
  readonly #pool = new Map<Hex, Transaction>();
  #made = 0;

  constructor({ chainId, contracts, genesisTime, blockSeconds, finalDistance, firstBlock }: ChainOptions) {
    this.chainId = chainId;
    this.finalDistance = finalDistance;
    const gateways = new Map(contracts.map((each) => [lower(each.address), createGateway(each)]));
    for (const [address, { implementation }] of gateways) {
      this.codes.set(address, implementation === undefined ? SLIM_CODE : PROXY_CODE);
      if (implementation !== undefined) this.codes.set(implementation, IMPLEMENTATION_CODE);
    }
    const state = { gateways, nonces: new Map(), spent: new Map() };
    for (let left = firstBlock ?? Math.max(finalDistance + 1, USUAL_BLOCKS); left >= 0; left -= 1)
      this.#add(Math.floor(genesisTime - left * blockSeconds), [], state);
  }

  get head(): Block {
    return this.#blocks.at(-1) as Block;
  }

  get waiting(): readonly Transaction[] {
    return [...this.#pool.values()];
  }

  block(number: number): Block | undefined {
    return this.#blocks[number];
  }

  /**
   * Makes a block at that time (Unix seconds): of the waiting transactions of others, and of up to `room` of those that nodes got, the
   * highest price first, each with the next nonce of its sender. Those with used nonces leave the pool.
   */
  mine(time: number, room = Number.POSITIVE_INFINITY): void {
    const seconds = Math.floor(time);
    if (seconds < this.head.time) throw new Error('a block cannot be older than the one before it');
    const receipts: Receipt[] = [];
    let { state } = this.head;
    const include = (transaction: Transaction) => {
      const [after, receipt] = apply(state, transaction, this.baseFee);
      state = after;
      receipts.push(receipt);
      this.#pool.delete(transaction.hash);
    };
    for (const each of this.waiting) if (each.nonce === undefined) include(each);
    const limit = receipts.length + room;
    for (let best = this.#bestIn(state); best && receipts.length < limit; best = this.#bestIn(state)) include(best);
    for (const { hash, from, nonce } of this.waiting) if (Number(nonce) < nonceIn(state, from)) this.#pool.delete(hash);
    this.#add(seconds, receipts, state);
  }

  /** Takes the newest blocks off, never final ones. Their transactions wait again, or are dropped. Later blocks have other hashes. */
  reorganize(blocks: number, drops: boolean): void {
    const lost = this.#blocks.splice(Math.max(this.final + 1, this.#blocks.length - blocks));
    if (drops) return;
    for (const { receipts } of lost) for (const [hash, { transaction }] of receipts) this.#pool.set(hash, transaction);
  }

  /** Drops waiting transactions, as busy nodes do; by default all of them. */
  forget(hashes: readonly Hex[] = [...this.#pool.keys()]): void {
    for (const hash of hashes) this.#pool.delete(hash);
  }

  /**
   * Sends a call of somebody else, for which nobody pays. The next block includes it before all transactions that nodes got. A
   * forbidden one reverts there. It uses the next nonce of its sender, so with a gatekeeper's account one of the gatekeeper. Returns
   * its hash.
   * @param data As from `callData`.
   */
  byOthers(sender: Hex, contract: Hex, data: Hex): Hex {
    const parties = { from: lower(sender), to: lower(contract), nonce: undefined };
    const hash = this.#newHash(2);
    this.#pool.set(hash, { hash, ...parties, data, gas: gasOf(data), fee: 0n, tip: 0n });
    return hash;
  }

  /** Accepts signed bytes into the pool. Returns the hash. Throws Refusal. */
  send(bytes: Hex): Hex {
    const transaction = readTransaction(bytes);
    const { hash, from, nonce, gas, fee, tip, chainId, value } = transaction;
    const next = this.nonceOf(from);
    const outbids = (each: Transaction) =>
      fee * 100n >= each.fee * REPLACEMENT_PERCENT && tip * 100n >= each.tip * REPLACEMENT_PERCENT;
    if (this.#pool.has(hash)) throw new Refusal('already known');
    if (chainId !== this.chainId) throw new Refusal('invalid chain id for signer');
    if (nonce < next) throw new Refusal(`nonce too low: address ${from}, tx: ${nonce} state: ${next}`);
    if (gas < TRANSFER_GAS) throw new Refusal('intrinsic gas too low');
    if (tip > fee) throw new Refusal('max priority fee per gas higher than max fee per gas');
    if (value !== 0n) throw new Refusal('the chain of the simulation moves no value');
    if (this.balanceOf(from) < gas * fee) throw new Refusal('insufficient funds for gas * price + value');
    if (this.waiting.some((each) => each.from === from && each.nonce === nonce && !outbids(each)))
      throw new Refusal('replacement transaction underpriced');
    this.#pool.set(hash, transaction);
    return hash;
  }

  gatewayAt(contract: Hex, { state }: Block = this.head) {
    return state.gateways.get(lower(contract));
  }

  nonceOf(account: Hex, { state }: Block = this.head): number {
    return nonceIn(state, lower(account));
  }

  /** Returns the next nonce behind the waiting transactions. */
  pendingNonceOf(account: Hex, block: Block = this.head): number {
    const nonces = new Set(this.waiting.filter(({ from }) => from === lower(account)).map(({ nonce }) => nonce));
    let next = this.nonceOf(account, block);
    while (nonces.has(next)) next += 1;
    return next;
  }

  balanceOf(account: Hex, { state }: Pick<Block, 'state'> = this.head): bigint {
    return (this.funds.get(lower(account)) ?? FUNDS) - (state.spent.get(lower(account)) ?? 0n);
  }

  /** Returns the tokens of a wallet in a gatekeeper network, in the order in which the contract lists them. */
  tokensOf(contract: Hex, slot: bigint, wallet: Hex, block?: Block) {
    const gateway = this.gatewayAt(contract, block);
    return gateway ? tokensIn(gateway, lower(wallet), slot) : [];
  }

  /** Whether the contract admits the wallet at that time (Unix seconds): its `verifyToken`. */
  isValid(contract: Hex, wallet: Hex, slot: bigint, time: number, block?: Block): boolean {
    const gateway = this.gatewayAt(contract, block);
    return (
      gateway !== undefined &&
      tokensIn(gateway, lower(wallet), slot).some((token) => isTokenValid(gateway, token, time))
    );
  }

  /** Returns the waiting transaction that pays most of those that the next block can include. */
  #bestIn(state: State): Transaction | undefined {
    let best: Transaction | undefined;
    for (const each of this.#pool.values()) {
      const { from, nonce, fee, gas } = each;
      const isNext =
        nonce === nonceIn(state, from) && fee >= this.baseFee && this.balanceOf(from, { state }) >= gas * fee;
      if (isNext && (best === undefined || tipOver(this.baseFee, each) > tipOver(this.baseFee, best))) best = each;
    }
    return best;
  }

  #add(time: number, receipts: readonly Receipt[], state: State): void {
    const number = this.#blocks.length;
    const included = new Map(receipts.map((receipt) => [receipt.transaction.hash, receipt]));
    this.#blocks.push({ number, hash: this.#newHash(1), time, baseFee: this.baseFee, receipts: included, state });
    this.final = Math.max(this.final, number - this.finalDistance);
  }

  /** Returns a hash that nothing else on any chain has. */
  #newHash(kind: number): Hex {
    this.#made += 1;
    return `0x${[kind, this.chainId, 0, this.#made].map((each) => each.toString(16).padStart(16, '0')).join('')}`;
  }
}
