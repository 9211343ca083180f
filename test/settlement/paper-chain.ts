import { intentOf, type Owned, readingOf, type Token } from '../../src/chain/intent.ts';
import type {
  Call,
  ChainPort,
  Delivery,
  Finding,
  Flight,
  Look,
  Question,
  Reading,
  Sighting,
  Signed,
  Terms,
} from '../../src/chain/port.ts';
import type { Chain } from '../../src/network/networks.ts';
import { standingToken } from '../../src/pass/standing-token.ts';
import { STATE_AFTER, type Step } from '../../src/pass/step.ts';
import { CHAIN_TABLE, type Operation } from './chain-table.ts';

/** What a transaction does, to which token: `issue` makes one. */
export interface PaperCall {
  readonly kind: Operation;
  readonly token?: bigint | undefined;
  readonly expiry?: number | undefined;
}

interface PaperTransaction extends PaperCall {
  readonly identifier: string;
  readonly nonce: number | undefined;
  readonly lastBlock: number;
}

/** Blocks below the head that may still leave the chain. */
const UNCERTAIN = 2;
/** Blocks during which a transaction of Solana may land. */
const LIFETIME = 8;

/**
 * A chain with one wallet on it, on paper: blocks, nonces or last blocks, finality, and who may do what as in
 * `CHAIN_TABLE`. Its looks are decided where those of the real adapters are: in `intentOf`.
 */
export class PaperChain implements ChainPort {
  readonly #chain: Chain;
  /** The wallet's tokens after each block. */
  readonly #blocks: (readonly Token[])[] = [[]];
  readonly #receipts = new Map<string, { readonly block: number; readonly succeeded: boolean }>();
  #pool: PaperTransaction[] = [];
  #nonce = 0;
  #made = 0n;
  #signed = 0;
  #lag = 0;
  #refuses = false;
  /** The transactions of the service that had their effect. */
  readonly succeeded: string[] = [];
  /** How many tokens the service made. */
  issued = 0;
  /** How many of its transactions succeeded and changed nothing. */
  idle = 0;

  constructor(chain: Chain) {
    this.#chain = chain;
  }

  get tokens(): readonly Token[] {
    return this.#blocks.at(-1) ?? [];
  }

  /** What the wallet has now. */
  get standing(): Token | undefined {
    return standingToken(this.tokens);
  }

  /** From now on the node is so many blocks behind. */
  fallBehind(blocks: number): void {
    this.#lag = blocks;
  }

  /** From now on every call is refused for good, or none. */
  refuse(all: boolean): void {
    this.#refuses = all;
  }

  /** The next block, with what waits for it; of Ethereum in the order of the nonces, and only without a gap. */
  mine(): void {
    const waiting = this.#pool.toSorted((a, b) => (a.nonce ?? 0) - (b.nonce ?? 0));
    let tokens = this.tokens;
    for (const transaction of waiting) {
      if (transaction.nonce !== undefined && transaction.nonce !== this.#nonce) continue;
      if (transaction.nonce !== undefined) this.#nonce += 1;
      const after = this.#isAllowed(transaction, tokens) ? this.#applied(transaction, tokens) : undefined;
      if (after !== undefined && JSON.stringify(after, plain) === JSON.stringify(tokens, plain)) this.idle += 1;
      if (after !== undefined) this.succeeded.push(transaction.identifier);
      if (after !== undefined && transaction.kind === 'issue') this.issued += 1;
      this.#receipts.set(transaction.identifier, { block: this.#blocks.length, succeeded: after !== undefined });
      tokens = after ?? tokens;
    }
    this.#blocks.push(tokens);
    this.#pool = this.#pool.filter(
      ({ identifier, lastBlock }) => !this.#receipts.has(identifier) && lastBlock >= this.#blocks.length,
    );
  }

  /** Somebody else's transaction, in a block of its own; one that is not allowed changes nothing. */
  byOthers(call: PaperCall | { readonly kind: 'burn'; readonly token: bigint }): void {
    const { tokens } = this;
    if (call.kind === 'burn') this.#blocks.push(tokens.filter(({ id }) => id !== call.token));
    else {
      // The program knows no end of addresses for a wallet: others may always issue at another.
      const isAllowed = call.kind === 'issue' || this.#isAllowed(call, tokens);
      this.#blocks.push(isAllowed ? this.#applied(call, tokens, true) : tokens);
    }
  }

  /** The nodes forget what waits. */
  forget(): void {
    this.#pool = [];
  }

  async look(steps: readonly Step[]): Promise<Look> {
    const head = this.#seen;
    const nonces = { latest: this.#nonce, pending: this.#nonce + this.#pool.length };
    const lifetime = { blockhash: '', lastValidBlockHeight: this.#blocks.length + LIFETIME };
    const terms: Terms = { fees: {}, ...(this.#chain === 'ethereum' ? { nonces } : { lifetime }) };
    return { terms, findings: steps.map((step) => this.#findingOf(step, head)) };
  }

  async read(questions: readonly Question[]): Promise<Reading[]> {
    return questions.map(({ known }) => readingOf(this.#ownedAt(this.#seen), known));
  }

  async sign(call: Call, { lifetime }: Terms, nonce: number | undefined): Promise<Signed> {
    this.#signed += 1;
    const identifier = `transaction ${this.#signed}`;
    const lastValidBlockHeight = lifetime?.lastValidBlockHeight;
    const transaction = { ...(call as PaperCall), identifier, nonce, lastBlock: lastValidBlockHeight };
    return { identifier, bytes: JSON.stringify(transaction, plain), lastValidBlockHeight };
  }

  async broadcast(signed: readonly Signed[]): Promise<Delivery[]> {
    for (const { bytes, identifier } of signed) {
      const { token, lastBlock = Number.POSITIVE_INFINITY, ...rest } = JSON.parse(bytes);
      const isKnown = this.#receipts.has(identifier) || this.#pool.some((each) => each.identifier === identifier);
      if (isKnown || lastBlock < this.#blocks.length) continue;
      this.#pool.push({ ...rest, lastBlock, token: token === undefined ? undefined : BigInt(token) });
    }
    return signed.map(() => ({ is: 'accepted' }));
  }

  async track(flights: readonly Flight[]): Promise<Sighting[]> {
    return flights.map((flight) => this.#sightingOf(flight, this.#seen));
  }

  get #seen(): number {
    return Math.max(0, this.#blocks.length - 1 - this.#lag);
  }

  #ownedAt(block: number): Owned<Token> {
    return { tokens: this.#blocks[Math.max(0, block)] ?? [], asOf: Math.max(0, block) };
  }

  #findingOf(step: Step, head: number): Finding {
    const intent = intentOf(step, this.#ownedAt(head), this.#ownedAt(head - UNCERTAIN));
    if (intent !== 'issue' && !('change' in intent)) return intent;
    if (this.#refuses) return { is: 'refused', reason: 'the chain refuses it' };
    const { kind, expiry } = step;
    if (intent === 'issue') return { is: 'ready', call: { kind, expiry }, leaves: { state: 'ACTIVE', expiry } };
    const call: PaperCall = { kind, expiry, token: intent.change.id as bigint };
    // A trial runs on the newest block, whatever the look before it saw.
    if (!this.#isAllowed(call, this.tokens)) return { is: 'not-now', why: 'overtaken', keeps: 'step' };
    return { is: 'ready', call, leaves: intent.leaves };
  }

  #sightingOf({ identifiers, place, lastValidBlockHeight }: Flight, head: number): Sighting {
    const identifier = identifiers.find((each) => (this.#receipts.get(each)?.block ?? head + 1) <= head);
    const receipt = identifier === undefined ? undefined : this.#receipts.get(identifier);
    const final = head - UNCERTAIN;
    if (identifier === undefined || receipt === undefined) {
      if (place !== undefined) return { is: 'standing' };
      return { is: lastValidBlockHeight !== undefined && final > lastValidBlockHeight ? 'expired' : 'unconfirmed' };
    }
    const { block, succeeded } = receipt;
    if (!succeeded) return block <= final ? { is: 'without-effect', identifier } : { is: 'unconfirmed' };
    if (place === undefined) return { is: 'confirmed', identifier, place: { block } };
    return { is: block <= final ? 'final' : 'standing' };
  }

  #isAllowed({ kind, token }: PaperCall, tokens: readonly Token[]): boolean {
    const state = kind === 'issue' ? standingToken(tokens)?.state : tokens.find(({ id }) => id === token)?.state;
    return (kind === 'issue' || state !== undefined) && CHAIN_TABLE[this.#chain][kind].includes(state ?? 'NONE');
  }

  #applied({ kind, token, expiry }: PaperCall, tokens: readonly Token[], byOthers = false): Token[] {
    if (kind === 'issue') {
      this.#made += 1n;
      const foreign = byOthers && this.#chain === 'solana' ? true : undefined;
      return [...tokens, { id: this.#made, state: 'ACTIVE', expiry, foreign }];
    }
    const effect = kind === 'set-expiry' ? { expiry } : { state: STATE_AFTER[kind] ?? 'ACTIVE' };
    return tokens.map((each) => (each.id === token ? { ...each, ...effect } : each));
  }
}

/** Numbers that JSON has no form for. */
function plain(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
