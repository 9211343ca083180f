import { type Owned, planStep, readingFor, type Token } from '../../../src/chain/plan-step.ts';
import {
  type BroadcastResult,
  type FinalNonce,
  type InclusionStatus,
  type InFlightTransaction,
  type Pairs,
  type Prepared,
  type PrepareResult,
  pairAll,
  type Question,
  type Reading,
  type SenderAccount,
  type Signed,
} from '../../../src/chain/port.ts';
import { notNow, refused } from '../../../src/chain/reasons.ts';
import type { Chain } from '../../../src/network/network.ts';
import { type Observation, representativeToken } from '../../../src/pass/adopt.ts';
import type { OnChain } from '../../../src/pass/pass.ts';
import type { Step } from '../../../src/pass/step.ts';
import { Blocks, type PaperCall, type PaperTransaction, UNCERTAIN } from './paper-blocks.ts';
import type { StoryChain } from './story-chain.ts';

/** Blocks during which a block may include a Solana transaction. */
const LIFETIME = 8;

/**
 * A model of a chain with one wallet as a port: nodes that are behind, forget and refuse, and transactions that wait for a block. As in
 * the real adapters, `planStep` decides about preparations.
 */
export class PaperChain implements StoryChain {
  readonly uncertain = UNCERTAIN;
  readonly #chain: Chain;
  readonly #blocks: Blocks;
  #pool: PaperTransaction[] = [];
  /** Transactions that the nodes dropped. */
  readonly #forgotten: string[] = [];
  #signed = 0;
  /** How many blocks the answering nodes are behind, in order. */
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

  /** The wallet's current tokens. */
  get representative(): Token | undefined {
    return representativeToken(this.tokens);
  }

  /** Whether a transaction of the service waits for a block, or may be sent again after the nodes forgot it. */
  get expects(): boolean {
    return this.#pool.length > 0 || this.#forgotten.some((identifier) => !this.#blocks.receipt(identifier));
  }

  /** The effective transactions of the service. */
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

  /** Sets how many blocks the nodes are behind, in order. */
  fallBehind(lags: readonly number[]): void {
    this.#lags = lags;
  }

  /** Whether a node is behind, or the chain is shorter than that block. */
  isBehind(block = 0): boolean {
    return this.#lags.some((lag) => lag > 0) || this.#blocks.height - 1 < block;
  }

  /** Sets whether every call is refused permanently. */
  refuse(all: boolean): void {
    this.#refuses = all;
  }

  /** Sets whether blocks have room for transactions at the old price. */
  crowd(full: boolean): void {
    this.#full = full;
  }

  /** Makes the next block of the waiting transactions. */
  mine(): void {
    const taken = this.#blocks.add(this.#full ? this.#pool.filter(({ raised }) => raised) : this.#pool);
    this.#pool = this.#pool.filter(
      ({ identifier, lastBlock }) => !taken.has(identifier) && lastBlock >= this.#blocks.height,
    );
  }

  /** Makes a block with somebody else's transaction. A forbidden one changes nothing. */
  byOthers(call: PaperCall | { readonly kind: 'burn'; readonly token: Token['id'] }): void {
    this.#blocks.addOfOthers(call);
  }

  /** Makes somebody else's transaction with the key of the service. */
  byTheSameKey(): void {
    this.#blocks.addOfTheSameKey();
  }

  /** Simulates a reorg of some blocks. Their transactions wait again, or are dropped. */
  reorganize(blocks: number, forget: boolean): void {
    const lost = this.#blocks.reorganize(blocks);
    if (forget) this.#forgotten.push(...lost.map(({ identifier }) => identifier));
    else this.#pool = [...this.#pool, ...lost.reverse()];
  }

  /** Makes the nodes drop waiting transactions. */
  forget(): void {
    this.#forgotten.push(...this.#pool.map(({ identifier }) => identifier));
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

  async observe<Q extends Question>(questions: readonly Q[]): Promise<Pairs<Q, Observation>> {
    const [head, other] = [this.#seen(), this.#seen()];
    const shown = ({ known }: Q, block: number) => {
      const reading = readingFor(this.#ownedAt(block), known);
      return reading.type === 'read' ? reading.onChain : undefined;
    };
    return questions.map((each) => [each, { confirmed: shown(each, head), final: shown(each, other - UNCERTAIN) }]);
  }

  async account(): Promise<SenderAccount> {
    const { nonce: latest } = this.#blocks.at(this.#seen());
    const nonces = { latest, pending: latest + this.#pool.length };
    return { balance: 1n, ...(this.#chain === 'ethereum' ? { nonces } : {}) };
  }

  async finalNonce(): Promise<FinalNonce | undefined> {
    const final = this.#seen() - UNCERTAIN;
    if (this.#chain !== 'ethereum' || final < 0) return undefined;
    return { nonce: this.#blocks.at(final).nonce, time: Math.floor(Date.now() / 1000), asOf: final };
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

  /** The model has no nonce gaps, but a node that is behind may seem to show one. */
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
    // Included transactions are requested separately.
    const [head, other] = [this.#seen(), this.#seen()];
    return transactions.map((each) => [each, this.#sightingOf(each, each.includedIn ? other : head, head - UNCERTAIN)]);
  }

  /** Returns the newest block of the answering node. */
  #seen(): number {
    this.#asked += 1;
    const lag = this.#lags[this.#asked % this.#lags.length] ?? 0;
    return Math.max(0, this.#blocks.height - 1 - lag);
  }

  #written(call: object, lastBlock: number | undefined): Signed {
    this.#signed += 1;
    const identifier = `transaction ${this.#signed}`;
    const bytes = JSON.stringify({ ...call, identifier, lastBlock }, plain);
    return { identifier, bytes, maxCost: 0, lastValidBlockHeight: lastBlock };
  }

  #ownedAt(block: number): Owned<Token> {
    return { tokens: this.#blocks.at(Math.max(0, block)).tokens, asOf: Math.max(0, block) };
  }

  #resultOf(step: Step, head: number, other: number, lastBlock: number | undefined): PrepareResult {
    const plan = planStep(step, this.#ownedAt(head), this.#ownedAt(other - UNCERTAIN));
    if (plan !== 'issue' && !('change' in plan)) return plan;
    if (this.#refuses) return refused('contract-refuses');
    const { kind, expiry } = step;
    const ready = (call: PaperCall, expectedOnChain: OnChain): PrepareResult => ({
      type: 'ready',
      call: JSON.stringify(call, plain),
      expectedOnChain,
      maxCost: 1,
      findViolation: () => undefined,
      sign: async (nonce) => this.#written({ ...call, nonce }, lastBlock),
    });
    if (plan === 'issue') return ready({ kind, expiry }, { state: 'ACTIVE', expiry });
    const call: PaperCall = { kind, expiry, token: plan.change.id };
    // A simulation uses the newest block, also if the reading before used another one.
    if (!this.#blocks.isAllowed(call, this.tokens)) return notNow('token-changed');
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

/** Encodes numbers that JSON cannot represent. */
function plain(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
