import { type Pairs, pairAll } from '../../../src/chain/pairs.ts';
import { type Owned, planStep, readingFor, type Token } from '../../../src/chain/plan-step.ts';
import type {
  Account,
  BroadcastResult,
  ChainPort,
  FinalNonce,
  InclusionStatus,
  InFlightTransaction,
  Prepared,
  PrepareResult,
  Question,
  Reading,
  Signed,
} from '../../../src/chain/port.ts';
import type { Chain } from '../../../src/network/network.ts';
import type { OnChain } from '../../../src/pass/pass.ts';
import { representativeToken } from '../../../src/pass/representative-token.ts';
import type { Step } from '../../../src/pass/step.ts';
import { Blocks, type PaperCall, type PaperTransaction, UNCERTAIN } from './paper-blocks.ts';

/** Blocks during which a transaction of Solana may land. */
const LIFETIME = 8;

/**
 * A chain with one wallet on it, on paper, as a port: nodes that are behind, forget and refuse, transactions that wait for
 * a block. Its looks are decided where those of the real adapters are: in `planStep`.
 */
export class PaperChain implements ChainPort {
  readonly #chain: Chain;
  readonly #blocks: Blocks;
  #pool: PaperTransaction[] = [];
  #signed = 0;
  /** How many blocks the nodes are behind that answer one after the other. */
  #lags: readonly number[] = [0];
  #asked = 0;
  #refuses = false;
  #full = false;

  constructor(chain: Chain) {
    this.#chain = chain;
    this.#blocks = new Blocks(chain);
  }

  get tokens(): readonly Token[] {
    return this.#blocks.newest.tokens;
  }

  /** What the wallet has now. */
  get representative(): Token | undefined {
    return representativeToken(this.tokens);
  }

  /** Whether a transaction of the service is on its way to a block. */
  get expects(): boolean {
    return this.#pool.length > 0;
  }

  /** The transactions of the service that had their effect. */
  get succeeded(): string[] {
    return this.#blocks.succeeded.map(({ identifier }) => identifier);
  }

  /** How many tokens the service made. */
  get issued(): number {
    return this.#blocks.succeeded.filter(({ kind }) => kind === 'issue').length;
  }

  /** How many of its transactions succeeded and changed nothing. */
  get idle(): number {
    return this.#blocks.succeeded.filter(({ changed }) => !changed).length;
  }

  /** From now on the nodes, one after the other, are so many blocks behind. */
  fallBehind(lags: readonly number[]): void {
    this.#lags = lags;
  }

  /** From now on every call is refused for good, or none. */
  refuse(all: boolean): void {
    this.#refuses = all;
  }

  /** From now on blocks have no room for what was signed at the old price, or have it. */
  crowd(full: boolean): void {
    this.#full = full;
  }

  /** The next block, with what waits for it. */
  mine(): void {
    const taken = this.#blocks.add(this.#full ? this.#pool.filter(({ raised }) => raised) : this.#pool);
    this.#pool = this.#pool.filter(
      ({ identifier, lastBlock }) => !taken.has(identifier) && lastBlock >= this.#blocks.height,
    );
  }

  /** Somebody else's transaction, in a block of its own; one that is not allowed changes nothing. */
  byOthers(call: PaperCall | { readonly kind: 'burn'; readonly token: bigint }): void {
    this.#blocks.addOfOthers(call);
  }

  /** Somebody else's transaction with the key of the service. */
  byTheSameKey(): void {
    this.#blocks.addOfTheSameKey();
  }

  /** So many blocks, as far as they may, leave the chain for others; what was in them waits again, or is forgotten. */
  reorganize(blocks: number, forget: boolean): void {
    const lost = this.#blocks.reorganize(blocks);
    if (!forget) this.#pool = [...this.#pool, ...lost.reverse()];
  }

  /** The nodes forget what waits. */
  forget(): void {
    this.#pool = [];
  }

  async prepare<R extends { readonly step: Step }>(requests: readonly R[]): Promise<Prepared<R>> {
    const [head, other] = [this.#seen(), this.#seen()];
    const lifetime = this.#blocks.height + LIFETIME;
    const { nonces } = await this.account();
    return {
      ...(nonces && { nonces }),
      results: requests.map((request) => [
        request,
        this.#resultOf(request.step, head, other, nonces ? undefined : lifetime),
      ]),
    };
  }

  async read<Q extends Question>(questions: readonly Q[]): Promise<Pairs<Q, Reading>> {
    const head = this.#seen();
    return questions.map((question) => [question, readingFor(this.#ownedAt(head), question.known)]);
  }

  async account(): Promise<Account> {
    const { nonce: latest } = this.#blocks.at(this.#seen());
    const nonces = { latest, pending: latest + this.#pool.length };
    return { balance: 1n, ...(this.#chain === 'ethereum' ? { nonces } : {}) };
  }

  async finalNonce(): Promise<FinalNonce | undefined> {
    const final = this.#seen() - UNCERTAIN;
    if (this.#chain !== 'ethereum' || final < 0) return undefined;
    return { nonce: this.#blocks.at(final).nonce, time: Math.floor(Date.now() / 1000) };
  }

  async replaceTransactions<T extends { readonly signed: Signed }>(
    transactions: readonly T[],
  ): Promise<Pairs<T, Signed | undefined>> {
    if (this.#chain !== 'ethereum') return pairAll(transactions, undefined);
    return transactions.map((transaction) => [
      transaction,
      this.#written({ ...JSON.parse(transaction.signed.bytes), raised: true }, undefined),
    ]);
  }

  /** Nobody leaves a gap on paper; a node that is behind may make it look so. */
  async signGapFillers(): Promise<never[]> {
    return [];
  }

  async broadcast<T extends { readonly signed: Signed }>(
    transactions: readonly T[],
  ): Promise<Pairs<T, BroadcastResult>> {
    for (const { bytes, identifier } of transactions.map(({ signed }) => signed)) {
      const { token, lastBlock = Number.POSITIVE_INFINITY, ...rest } = JSON.parse(bytes);
      const isKnown = this.#blocks.receipt(identifier) || this.#pool.some((each) => each.identifier === identifier);
      if (isKnown || lastBlock < this.#blocks.height) continue;
      this.#pool.push({ ...rest, lastBlock, token: token === undefined ? undefined : BigInt(token) });
    }
    return pairAll(transactions, { type: 'accepted' });
  }

  async track<T extends InFlightTransaction>(transactions: readonly T[]): Promise<Pairs<T, InclusionStatus>> {
    // What was in a block is asked for with another request.
    const [head, other] = [this.#seen(), this.#seen()];
    return transactions.map((each) => [each, this.#sightingOf(each, each.includedIn ? other : head, head - UNCERTAIN)]);
  }

  /** The newest block that the node has which answers this time. */
  #seen(): number {
    this.#asked += 1;
    const lag = this.#lags[this.#asked % this.#lags.length] ?? 0;
    return Math.max(0, this.#blocks.height - 1 - lag);
  }

  #written(call: object, lastBlock: number | undefined): Signed {
    this.#signed += 1;
    const identifier = `transaction ${this.#signed}`;
    const bytes = JSON.stringify({ ...call, identifier, lastBlock }, plain);
    return { identifier, bytes, lastValidBlockHeight: lastBlock };
  }

  #ownedAt(block: number): Owned<Token> {
    return { tokens: this.#blocks.at(Math.max(0, block)).tokens, asOf: Math.max(0, block) };
  }

  #resultOf(step: Step, head: number, other: number, lastBlock: number | undefined): PrepareResult {
    const plan = planStep(step, this.#ownedAt(head), this.#ownedAt(other - UNCERTAIN));
    if (plan !== 'issue' && !('change' in plan)) return plan;
    if (this.#refuses) return { type: 'refused', reason: 'the chain refuses it' };
    const { kind, expiry } = step;
    const ready = (call: PaperCall, expectedOnChain: OnChain): PrepareResult => ({
      type: 'ready',
      call: JSON.stringify(call, plain),
      expectedOnChain,
      maxCost: 1,
      sign: async (nonce) => this.#written({ ...call, nonce }, lastBlock),
    });
    if (plan === 'issue') return ready({ kind, expiry }, { state: 'ACTIVE', expiry });
    const call: PaperCall = { kind, expiry, token: plan.change.id as bigint };
    // A trial runs on the newest block, whatever the look before it saw.
    if (!this.#blocks.isAllowed(call, this.tokens)) return { type: 'not-now', why: 'overtaken', blocks: 'step' };
    return ready(call, plan.expectedOnChain);
  }

  #sightingOf(
    { identifiers, includedIn, nonce, lastValidBlockHeight }: InFlightTransaction,
    head: number,
    final: number,
  ): InclusionStatus {
    const identifier = identifiers.find((each) => (this.#blocks.receipt(each)?.block ?? head + 1) <= head);
    const receipt = identifier === undefined ? undefined : this.#blocks.receipt(identifier);
    if (identifier === undefined || receipt === undefined) {
      if (includedIn !== undefined) {
        const isGone = includedIn.block <= head && this.#blocks.at(includedIn.block).hash !== includedIn.hash;
        return { type: isGone ? 'unconfirmed' : 'still-included' };
      }
      const isLate = lastValidBlockHeight !== undefined && final > lastValidBlockHeight;
      const isTaken = nonce !== undefined && final >= 0 && final <= head && this.#blocks.at(final).nonce > nonce;
      return isLate || isTaken ? { type: 'expired', asOf: final } : { type: 'unconfirmed' };
    }
    const { block, succeeded, hash } = receipt;
    if (!succeeded) return block <= final ? { type: 'without-effect', identifier } : { type: 'unconfirmed' };
    if (includedIn?.hash !== hash) return { type: 'confirmed', identifier, includedIn: { block, hash } };
    return { type: block <= final ? 'final' : 'still-included' };
  }
}

/** Numbers that JSON has no form for. */
function plain(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
