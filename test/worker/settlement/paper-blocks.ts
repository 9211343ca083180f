import type { Token } from '../../../src/chain/plan-step.ts';
import type { Chain } from '../../../src/network/network.ts';
import { representativeToken } from '../../../src/pass/adopt.ts';
import { STEP_KINDS } from '../../../src/pass/step-kinds.ts';
import { CHAIN_TABLE, type Operation } from './chain-table.ts';

/** The effect of a transaction on a token; `issue` makes one. */
export interface PaperCall {
  readonly kind: Operation;
  readonly token?: Token['id'] | undefined;
  readonly expiry?: number | undefined;
}

export interface PaperTransaction extends PaperCall {
  readonly identifier: string;
  readonly nonce: number | undefined;
  readonly lastBlock: number;
  /** Signed again at a higher price. */
  readonly raised?: boolean;
}

/** A transaction of the service in a block. */
interface Mined {
  readonly transaction: PaperTransaction;
  readonly succeeded: boolean;
  /** Whether it changed anything. */
  readonly changed: boolean;
}

interface Block {
  readonly hash: string;
  /** The wallet's tokens after it. */
  readonly tokens: readonly Token[];
  /** The number of tokens made up to this block. */
  readonly made: bigint;
  /** The number of mined transactions of the service's key up to this block. */
  readonly nonce: number;
  readonly mined: readonly Mined[];
  /** It has a transaction of others, so it stays. */
  readonly ofOthers: boolean;
}

/** Blocks below the head that may still leave the chain. */
export const UNCERTAIN = 2;

const GENESIS: Block = { hash: '0', tokens: [], made: 0n, nonce: 0, mined: [], ofOthers: true };

/** The blocks of a chain with one wallet: nonces, and the rules of `CHAIN_TABLE`. */
export class Blocks {
  readonly #chain: Chain;
  #blocks: Block[] = [GENESIS];
  #hashes = 0;

  constructor(chain: Chain) {
    this.#chain = chain;
  }

  get newest(): Block {
    return this.#blocks.at(-1) ?? GENESIS;
  }

  get height(): number {
    return this.#blocks.length;
  }

  at(number: number): Block {
    return this.#blocks[number] ?? GENESIS;
  }

  get succeeded(): (PaperTransaction & { readonly changed: boolean })[] {
    const mined = this.#blocks.flatMap((block) => block.mined).filter(({ succeeded }) => succeeded);
    return mined.map(({ transaction, changed }) => ({ ...transaction, changed }));
  }

  receipt(identifier: string): { block: number; hash: string; succeeded: boolean } | undefined {
    const has = ({ transaction }: Mined) => transaction.identifier === identifier;
    const block = this.#blocks.findLastIndex(({ mined }) => mined.some(has));
    const { hash, mined } = this.at(block);
    return block < 0 ? undefined : { block, hash, succeeded: mined.some((each) => has(each) && each.succeeded) };
  }

  /**
   * Makes a block with these transactions: on Ethereum in the order of the nonces, without a gap, and for each nonce the one that pays
   * most. Returns the identifiers of the included ones, and of those that no block can include.
   */
  add(waiting: readonly PaperTransaction[]): Set<string> {
    const byPrice = waiting.toSorted((a, b) => Number(b.raised ?? false) - Number(a.raised ?? false));
    let { tokens, made, nonce } = this.newest;
    const mined: Mined[] = [];
    for (const transaction of byPrice.toSorted((a, b) => (a.nonce ?? 0) - (b.nonce ?? 0))) {
      if (transaction.nonce !== undefined && transaction.nonce !== nonce) continue;
      if (transaction.nonce !== undefined) nonce += 1;
      const succeeded = this.isAllowed(transaction, tokens);
      const after = succeeded ? applied(transaction, tokens, made) : tokens;
      if (succeeded && transaction.kind === 'issue') made += 1n;
      mined.push({ transaction, succeeded, changed: !isSame(after, tokens) });
      tokens = after;
    }
    this.#push({ tokens, made, nonce, mined, ofOthers: false });
    const isDead = (each: PaperTransaction) => each.nonce !== undefined && each.nonce < nonce;
    return new Set([...mined.map(({ transaction }) => transaction), ...waiting.filter(isDead)].map(nameOf));
  }

  addOfOthers(call: PaperCall | { readonly kind: 'burn'; readonly token: Token['id'] }): void {
    const { tokens, made, nonce } = this.newest;
    // The program allows any number of addresses for a wallet, so others may always issue at another one.
    const isAllowed = call.kind === 'burn' || call.kind === 'issue' || this.isAllowed(call, tokens);
    const foreign = this.#chain === 'solana' ? true : undefined;
    const after =
      call.kind === 'burn' ? tokens.filter(({ id }) => id !== call.token) : applied(call, tokens, made, foreign);
    const issued = call.kind === 'issue' ? 1n : 0n;
    this.#push({ tokens: isAllowed ? after : tokens, made: made + issued, nonce, mined: [], ofOthers: true });
  }

  addOfTheSameKey(): void {
    const { tokens, made, nonce } = this.newest;
    this.#push({ tokens, made, nonce: nonce + 1, mined: [], ofOthers: true });
  }

  /** Replaces blocks that are not final and only of the service with empty ones. Returns their transactions. */
  reorganize(blocks: number): PaperTransaction[] {
    const loose = this.#blocks.length - 1 - this.#blocks.findLastIndex(({ ofOthers }) => ofOthers);
    const depth = Math.min(blocks, UNCERTAIN, loose);
    if (depth === 0) return [];
    const lost = this.#blocks.splice(-depth);
    for (let n = 0; n < depth; n += 1) this.add([]);
    return lost.flatMap(({ mined }) => mined.map(({ transaction }) => transaction));
  }

  isAllowed({ kind, token }: PaperCall, tokens: readonly Token[]): boolean {
    const state = kind === 'issue' ? representativeToken(tokens)?.state : tokens.find(({ id }) => id === token)?.state;
    return (kind === 'issue' || state !== undefined) && CHAIN_TABLE[this.#chain][kind].includes(state ?? 'NONE');
  }

  #push(block: Omit<Block, 'hash'>): void {
    this.#hashes += 1;
    this.#blocks.push({ ...block, hash: String(this.#hashes) });
  }
}

const nameOf = ({ identifier }: PaperTransaction) => identifier;

function applied({ kind, token, expiry }: PaperCall, tokens: readonly Token[], made: bigint, foreign?: true): Token[] {
  if (kind === 'issue') return [...tokens, { id: made + 1n, state: 'ACTIVE', expiry, foreign }];
  const { setsExpiry, stateAfter: state } = STEP_KINDS[kind];
  const effect = { ...(setsExpiry && { expiry }), ...(state && { state }) };
  return tokens.map((each) => (each.id === token ? { ...each, ...effect } : each));
}

function isSame(a: readonly Token[], b: readonly Token[]): boolean {
  return (
    a.length === b.length &&
    a.every(({ state, expiry }, index) => state === b[index]?.state && expiry === b[index].expiry)
  );
}
