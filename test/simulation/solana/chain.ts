import { createHash } from 'node:crypto';
import { base58 } from '@scure/base';
import type { Address, Instruction } from '@solana/kit';
import { accountAt } from '../../../tools/localnet/solana/chain/accounts.ts';
import { type Block, blockAt, type Commitment, newestBlock } from '../../../tools/localnet/solana/chain/blocks.ts';
import { genesisAccounts } from '../../../tools/localnet/solana/chain/genesis.ts';
import {
  execute,
  type Ledger,
  landTransaction,
  rollBack,
  setAccount,
} from '../../../tools/localnet/solana/chain/ledger.ts';
import type { SentTransaction } from '../../../tools/localnet/solana/chain/sent-transaction.ts';
import { createEmulation } from '../../../tools/localnet/solana/runtime/emulation.ts';
import {
  expireFeatureAccountOf,
  GATEWAY_PROGRAM,
  gatekeeperAccountOf,
  gatewayTokenAccountOf,
} from '../../../tools/localnet/solana/runtime/gateway-addresses.ts';
import { decodeGatewayToken, type GatewayToken } from '../../../tools/localnet/solana/runtime/gateway-token.ts';
import { FIRST_RENT, rentExemptMinimum } from '../../../tools/localnet/solana/runtime/rent.ts';
import { SYSTEM_PROGRAM } from '../../../tools/localnet/solana/runtime/system-program.ts';
import { instructionOf, OTHERS_PAYER, type OthersCall, seedOf, transactionOf, type Version } from './others.ts';

/**
 * A Solana cluster that is plain code: the world gives the time, and nothing is random. Its programs and its ledger are those of the
 * localnet's node. Only the forks, the commitments and the pace of the blocks are its own.
 */

export interface ClusterOptions {
  readonly genesisHash: string;
  /** Unix seconds. */
  readonly genesisTime: number;
  /** Time between two blocks. */
  readonly blockSeconds: number;
  /** How many blocks must follow a block until it is final. */
  readonly finalDistance: number;
}

/** A gateway token at one of the addresses that dApps read. */
export interface HeldToken extends GatewayToken {
  readonly address: Address;
  readonly index: number;
}

/** Different values, so that code that confuses slot and height fails. Both are after the first epoch. */
const FIRST = { slot: 1_000_000, height: 900_000 };
/** Each time that the height is a multiple, the leader of a slot has missed it. */
const MISSED_INTERVAL_BLOCKS = 16;
const CONFIRMED_DISTANCE = 1;
/** The addresses of a wallet's tokens that dApps read (`findGatewayToken` of solana-gateway-ts). */
const TOKEN_INDEXES = [0, 1, 2, 3, 4];
const RICH = 10n ** 15n;

/** The programs, and the gatekeepers of the localnet with an account in each of its gatekeeper networks. */
const GENESIS = await genesisAccounts();
const EMULATION = createEmulation();

export class SolanaChain {
  readonly program = GATEWAY_PROGRAM;
  readonly #options: ClusterOptions;
  readonly #ledger: Ledger;
  /** The transactions in blocks, by signature. */
  readonly #included = new Map<string, SentTransaction>();
  /** Signatures of transactions of others: nobody signed them, and no room limits them. */
  readonly #ofOthers = new Set<string>();
  /** The lamports that each transaction of the service took from its payer, by signature. */
  readonly #costs = new Map<string, bigint>();
  #time: number;
  #made = 0;

  constructor(options: ClusterOptions) {
    this.#options = options;
    this.#time = options.genesisTime;
    const first = this.#newBlock(FIRST.slot, FIRST.height);
    this.#ledger = {
      runtime: EMULATION,
      // `viewFrom` finds the newest block of each commitment.
      chain: { blocks: [first], root: first, lastSlot: first.slot, depths: depthsWith(0) },
      accounts: new Map([...GENESIS].map(([address, account]) => [address, [{ slot: 0, account }]])),
      waiting: new Map(),
      landed: new Map(),
      lamportsPerByte: FIRST_RENT,
      changes: 0,
    };
    this.fund(OTHERS_PAYER, RICH);
  }

  get genesisHash(): string {
    return this.#options.genesisHash;
  }

  /** The slot of the newest block. */
  get slot(): number {
    return newestBlock(this.#ledger.chain).slot;
  }

  /** Returns what the transaction took from the account that paid its fee (lamports); undefined: no block has it. */
  costOf(signature: string): bigint | undefined {
    return this.#ledger.landed.has(signature) ? this.#costs.get(signature) : undefined;
  }

  /** Whether a block has the transaction, and it succeeded. */
  hasSucceeded(signature: string): boolean {
    const landed = this.#ledger.landed.get(signature);
    return landed !== undefined && !landed.error;
  }

  /** Grows with each change of an account, also when a fork takes it back. */
  changes = 0;

  /** Number of transactions that wait for a block. */
  get waiting(): number {
    return this.#ledger.waiting.size;
  }

  /**
   * Makes a block at that time (Unix seconds) from the waiting transactions, with room for `room` of those that nodes got, the highest
   * price first. The others wait for the next block until their blockhash expires. The slots since the block before count as made and
   * empty, so 60 s without this call let every blockhash expire.
   */
  mine(time: number, room = Number.POSITIVE_INFINITY): void {
    const { chain, waiting } = this.#ledger;
    const before = newestBlock(chain);
    const slots = Math.max(1, Math.round((time - this.#time) / this.#options.blockSeconds));
    const height = before.height + slots;
    const missed = Math.floor(height / MISSED_INTERVAL_BLOCKS) - Math.floor(before.height / MISSED_INTERVAL_BLOCKS);
    this.#time = Math.max(time, this.#time);
    const block = this.#newBlock(chain.lastSlot + slots + missed, height);
    chain.blocks.push(block);
    chain.lastSlot = block.slot;
    chain.root = atOrBelow(chain.blocks, Math.max(chain.root.height, height - this.#options.finalDistance));
    const all = [...waiting.values()];
    const byPrice = all.filter((each) => !this.#isOfOthers(each)).toSorted((a, b) => b.price - a.price);
    for (const sent of [...all.filter((each) => this.#isOfOthers(each)), ...byPrice.slice(0, room)]) {
      waiting.delete(sent.signature);
      this.#include(sent, block);
    }
  }

  /** Takes the newest blocks off, never final ones. Their transactions wait again, or are dropped. */
  reorganize(blocks: number, drops: boolean): void {
    const { landed, waiting } = this.#ledger;
    this.changes += 1;
    const before = [...landed.keys()];
    rollBack(this.#ledger, blocks);
    for (const signature of drops ? [] : before)
      if (!landed.has(signature)) waiting.set(signature, this.#included.get(signature) as SentTransaction);
  }

  /** Drops the waiting transactions, as nodes do that are busy. */
  forget(): void {
    this.#ledger.waiting.clear();
  }

  /**
   * Sends a transaction of somebody else, which the next block includes. A forbidden one fails there. Returns its signature.
   * @param sender The account that acts: a gatekeeper, the owner of a token, or the authority of a gatekeeper network, which is its address.
   */
  byOthers(sender: Address, calls: readonly (OthersCall | Instruction)[], version: Version = 0): string {
    const instructions = calls.map((call) => ('kind' in call ? instructionOf(sender, call) : call));
    const sent = transactionOf(instructions, this.#ledger.chain.root, version, this.#ofOthers.size);
    this.#ofOthers.add(sent.signature);
    this.#ledger.waiting.set(sent.signature, sent);
    return sent.signature;
  }

  /** Makes a key a gatekeeper at every commitment, without a transaction. */
  authorize(gatekeeper: Address, network: Address): void {
    this.#setEmptyAccount(gatekeeperAccountOf(gatekeeper, network), rentExemptMinimum(0), GATEWAY_PROGRAM);
  }

  /** Lets owners expire their tokens of that gatekeeper network, without a transaction. */
  allowExpireToken(network: Address): void {
    this.#setEmptyAccount(expireFeatureAccountOf(network), rentExemptMinimum(0), GATEWAY_PROGRAM);
  }

  /** Gives an account without data that balance at every commitment, without a transaction. */
  fund(address: Address, lamports: bigint): void {
    this.#setEmptyAccount(address, lamports, SYSTEM_PROGRAM);
  }

  /** Changes the rent from the next transaction on. */
  setRent(lamportsPerByte: bigint): void {
    this.#ledger.lamportsPerByte = lamportsPerByte;
  }

  balanceOf(address: Address, commitment: Commitment = 'processed'): bigint {
    return this.#accountOf(address, commitment)?.lamports ?? 0n;
  }

  /** Returns the tokens of a wallet that dApps see. */
  tokensOf(wallet: Address, network: Address, commitment: Commitment = 'processed'): HeldToken[] {
    return TOKEN_INDEXES.flatMap((index) => {
      const address = gatewayTokenAccountOf(wallet, seedOf(index), network);
      const account = this.#accountOf(address, commitment);
      const token = account?.owner === GATEWAY_PROGRAM ? decodeGatewayToken(account.data) : undefined;
      return token === undefined ? [] : [{ ...token, address, index }];
    });
  }

  /** Whether dApps admit the wallet at that time (Unix seconds). The second of the expiry still counts. */
  isValid(wallet: Address, network: Address, time: number, commitment: Commitment = 'processed'): boolean {
    return this.tokensOf(wallet, network, commitment).some(
      ({ state, expiry }) => state === 0 && (expiry === undefined || BigInt(Math.floor(time)) <= expiry),
    );
  }

  /** Returns the ledger of a node that is `lag` blocks behind. Transactions sent to it reach the cluster. */
  viewFrom(lag: number): Ledger {
    const { chain, landed } = this.#ledger;
    const blocks = lag === 0 ? chain.blocks : chain.blocks.slice(0, Math.max(1, chain.blocks.length - lag));
    const head = blocks.at(-1) as Block;
    const confirmed = blocks.findLastIndex(({ height }) => height <= head.height - CONFIRMED_DISTANCE);
    const final = Math.min(chain.root.height, head.height - this.#options.finalDistance);
    const root = lag === 0 ? chain.root : atOrBelow(blocks, final);
    return {
      ...this.#ledger,
      chain: { blocks, root, lastSlot: head.slot, depths: depthsWith(blocks.length - 1 - confirmed) },
      landed: lag === 0 ? landed : new Map([...landed].filter(([, { slot }]) => slot <= head.slot)),
    };
  }

  #include(sent: SentTransaction, block: Block): void {
    const isSigned = !this.#isOfOthers(sent);
    // A blockhash counts from the block before, which is an empty one after a pause.
    const parent = { ...block, height: block.height - 1 };
    const run = execute(this.#ledger, sent, block, { signatures: isSigned, age: isSigned, parent });
    if (!run.lands) return;
    this.changes += 1;
    const { error, writes } = run;
    const [payer] = sent.addresses;
    const before = isSigned && payer !== undefined ? this.balanceOf(payer) : 0n;
    landTransaction(this.#ledger, sent.signature, { error, addresses: sent.addresses, wire: sent.wire }, writes);
    if (isSigned && payer !== undefined) this.#costs.set(sent.signature, before - this.balanceOf(payer));
    block.prices.push(sent.price);
    this.#included.set(sent.signature, sent);
  }

  #isOfOthers({ signature }: SentTransaction): boolean {
    return this.#ofOthers.has(signature);
  }

  #accountOf(address: Address, commitment: Commitment) {
    return accountAt(this.#ledger.accounts, address, this.#slotOf(commitment));
  }

  #slotOf(commitment: Commitment): number {
    if (commitment === 'processed') return this.slot;
    return blockAt(this.viewFrom(0).chain, commitment).slot;
  }

  #setEmptyAccount(address: Address, lamports: bigint, owner: Address): void {
    setAccount(this.#ledger, address, { lamports, data: new Uint8Array(), owner, executable: false });
  }

  #newBlock(slot: number, height: number): Block {
    this.#made += 1;
    const hash = createHash('sha256').update(`${this.#options.genesisHash} ${this.#made}`).digest();
    const unixTimestamp = Math.floor(this.#time);
    return {
      slot,
      height,
      blockhash: base58.encode(hash),
      unixTimestamp,
      changed: new Set(),
      signatures: [],
      prices: [],
    };
  }
}

/** The root of a chain has the final blocks, so no depth does. */
const depthsWith = (confirmed: number) => ({ processed: 0, confirmed, finalized: Number.POSITIVE_INFINITY });

/** Returns the newest block of that height or a lower one, or the first. */
function atOrBelow(blocks: readonly Block[], height: number): Block {
  return blocks.findLast((block) => block.height <= height) ?? (blocks[0] as Block);
}
