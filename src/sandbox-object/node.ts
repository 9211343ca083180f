import { planStep, readingFor } from '../chain/plan-step.ts';
import type {
  BroadcastResult,
  FinalNonce,
  InclusionStatus,
  Question,
  Reading,
  SenderAccount,
  Signed,
} from '../chain/port.ts';
import { notNow, refused } from '../chain/reasons.ts';
import {
  identifierOf,
  type SimulatedNode,
  type SimulatedPreparation,
  type SimulatedResult,
  type SimulatedTransaction,
  type Tracked,
} from '../chain/sandbox/sandbox-chain.ts';
import { smallestUnitsOf } from '../chain/units.ts';
import { SANDBOX_FINAL_DEPTH } from '../network/sandbox.ts';
import type { Observation } from '../pass/adopt.ts';
import { hasValidToken, type OnChain } from '../pass/pass.ts';
import type { Step } from '../pass/step.ts';
import { CHAIN_RULES } from '../pass/step-kinds.ts';
import { describeReason } from '../pass/wait-reasons.ts';
import { blockHash, blockhashOf, LIFETIME_BLOCKS, secondsOf } from './blocks.ts';
import type { Ledger } from './ledger.ts';
import type { SentRow } from './tables.ts';
import { isAccepted, type Operation } from './tokens.ts';

/** The balance of every gatekeeper, in nano-coins. Nothing costs anything. */
const BALANCE = 1_000_000_000;
/** A node of an Ethereum-type network shows the cost of a final transaction. */
const FINAL = { ethereum: { type: 'final', cost: 0 }, solana: { type: 'final' } } as const;
/** Longest text of a transaction. A signer writes a few hundred characters. */
const TRANSACTION_MAX_CHARS = 4_096;

/** A node of a simulated network. As in the real adapters, `planStep` decides about preparations. */
export class Node implements SimulatedNode {
  readonly #ledger: Ledger;
  readonly #seen: () => number;

  /** @param seen Returns the newest block that the node has; the head of the ledger, unless it is behind. */
  constructor(ledger: Ledger, seen: () => number = () => ledger.head) {
    this.#ledger = ledger;
    this.#seen = seen;
  }

  prepare(steps: readonly Step[]): SimulatedPreparation {
    const { chain, network } = this.#ledger;
    const [head, other] = [this.#seen(), this.#seen()];
    const results = steps.map((step) => this.#resultOf(step, head, other));
    if (chain === 'ethereum') return { results, nonces: this.#nonces() };
    const lifetime = {
      blockhash: blockhashOf(network, head),
      lastValidBlockHeight: head + LIFETIME_BLOCKS,
      time: secondsOf(this.#ledger.timeOf(head)),
    };
    return { results, lifetime };
  }

  #resultOf(step: Step, head: number, other: number): SimulatedResult {
    const { kind, expiry, key } = step;
    const { chain } = this.#ledger;
    const { waits, refuses } = this.#ledger.script(key.wallet);
    // The reason of one wallet must not hold up the others of the sandbox.
    if (waits !== undefined) return { ...notNow(waits), blocks: 'step' };
    const final = this.#ledger.finalFor(key.wallet, other);
    const plan = planStep(step, this.#ownedAt(key.wallet, head), this.#ownedAt(key.wallet, final));
    if (plan !== 'issue' && !('change' in plan)) return plan.type === 'ready' ? notNow('not-simulated') : plan;
    if (refuses === 'everything' || refuses === (kind === 'issue' ? 'issue' : 'change'))
      return refused(chain === 'ethereum' ? 'contract-refuses' : 'program-refuses', 'it is a wallet of the sandbox');
    const ready = (operation: Operation, expectedOnChain: OnChain): SimulatedResult => ({
      type: 'ready',
      call: JSON.stringify({ ...operation, wallet: key.wallet }),
      expectedOnChain,
    });
    if (plan === 'issue') return ready({ kind, expiry }, { state: 'ACTIVE', expiry });
    if (kind === 'set-expiry' && expiry === undefined && !CHAIN_RULES[chain].canClearExpiry)
      return refused('expiry-not-clearable');
    const operation = { kind, expiry, token: String(plan.change.id) };
    // A simulation uses the newest block, also if the node before was behind.
    if (!isAccepted(chain, operation, this.#ledger.tokens(key.wallet))) return notNow('token-changed');
    return ready(operation, plan.expectedOnChain);
  }

  read(questions: readonly Question[]): Reading[] {
    const [head, other] = [this.#seen(), this.#seen()];
    return questions.map((question) => {
      const reading = this.#readingAt(question, head);
      const { key, known } = question;
      const isLoss =
        reading.type === 'read' &&
        !hasValidToken(reading.onChain) &&
        reading.onChain.state !== (known?.state ?? 'NONE');
      if (!isLoss) return reading;
      // As with the real adapters, only a final block shows the loss of a token.
      const final = this.#readingAt(question, this.#ledger.finalFor(key.wallet, other));
      if (final.type !== 'read') return final;
      const isOld = (final.onChain.asOf ?? 0) < (known?.asOf ?? 0);
      return isOld || hasValidToken(final.onChain) ? { type: 'not-final' } : final;
    });
  }

  observe(questions: readonly Question[]): Observation[] {
    const [head, other] = [this.#seen(), this.#seen()];
    const shown = (question: Question, block: number) => {
      const reading = this.#readingAt(question, block);
      return reading.type === 'read' ? reading.onChain : undefined;
    };
    return questions.map((question) => ({
      confirmed: shown(question, head),
      final: shown(question, this.#ledger.finalFor(question.key.wallet, other)),
    }));
  }

  broadcast(transactions: readonly Pick<Signed, 'identifier' | 'bytes'>[]): BroadcastResult[] {
    return transactions.map(({ identifier, bytes }) => {
      const transaction = this.#read(identifier, bytes);
      if (typeof transaction === 'string') return notNow('broadcast-refused', transaction);
      const { call, nonce = null, lastBlock = null } = transaction;
      const wallet = call === '' ? null : (JSON.parse(call) as { readonly wallet: string }).wallet;
      this.#ledger.send({ identifier, wallet, call, nonce, lastBlock });
      return { type: 'accepted' };
    });
  }

  /** Returns the transaction, or why a node refuses it. */
  #read(identifier: string, bytes: string): SimulatedTransaction | string {
    const { chain, network } = this.#ledger;
    if (bytes.length > TRANSACTION_MAX_CHARS) return 'the transaction is too long';
    if (identifierOf(chain, bytes) !== identifier) return 'the identifier is not the hash of the transaction';
    const transaction = JSON.parse(bytes) as SimulatedTransaction;
    return transaction.network === network ? transaction : 'the transaction is for another network';
  }

  track(transactions: readonly Tracked[]): InclusionStatus[] {
    // A real node is asked about included transactions separately.
    const [head, other] = [this.#seen(), this.#seen()];
    return transactions.map((each) => this.#statusOf(each, each.includedIn ? other : head, head));
  }

  #statusOf(transaction: Tracked, head: number, finalHead: number): InclusionStatus {
    const { identifiers, includedIn, nonce, lastValidBlockHeight } = transaction;
    const rows = identifiers.flatMap((identifier) => this.#ledger.find(identifier) ?? []);
    const shown = rows.find(({ effective }) => effective !== null && effective <= head);
    if (shown !== undefined) return this.#inclusionOf(shown, transaction, finalHead - SANDBOX_FINAL_DEPTH);
    if (includedIn !== undefined) {
      // A node that has a block there has another one, if the ledger has not the transaction in the old one.
      const isStillThere = rows.some((row) => row.effective !== null && this.#isIn(row, includedIn));
      return { type: isStillThere || includedIn.block > head ? 'still-included' : 'unconfirmed' };
    }
    // It is in a block that does not show it yet, or comes back to one for certain.
    const isCertain = ({ included, branch, lastBlock }: SentRow) =>
      included !== null || (branch > 0 && lastBlock === null);
    if (rows.some(isCertain)) return { type: 'unconfirmed' };
    const final = finalHead - SANDBOX_FINAL_DEPTH;
    const isLate = lastValidBlockHeight !== undefined && final > lastValidBlockHeight;
    const isTaken = nonce !== undefined && this.#ledger.nextNonce(final, true) > nonce;
    return isLate || isTaken ? { type: 'expired', asOf: final } : { type: 'unconfirmed' };
  }

  #inclusionOf(row: SentRow, { includedIn }: Tracked, final: number): InclusionStatus {
    const { identifier, isHeld } = row;
    const block = row.effective ?? 0;
    const isFinal = block <= final && isHeld === 0;
    if (row.succeeded !== 1) return isFinal ? { type: 'without-effect', identifier } : { type: 'unconfirmed' };
    if (includedIn && this.#isIn(row, includedIn))
      return isFinal ? FINAL[this.#ledger.chain] : { type: 'still-included' };
    this.#ledger.scheduleReorg(row);
    return { type: 'confirmed', identifier, includedIn: this.#blockOf(row) };
  }

  #blockOf({ effective, branch }: SentRow) {
    const { chain, network } = this.#ledger;
    const block = effective ?? 0;
    return chain === 'ethereum' ? { block, hash: blockHash(network, block, branch) } : { block };
  }

  #isIn(row: SentRow, { block, hash }: NonNullable<Tracked['includedIn']>): boolean {
    const present = this.#blockOf(row);
    return present.block === block && present.hash === hash;
  }

  account(): SenderAccount {
    const { chain } = this.#ledger;
    return {
      balance: smallestUnitsOf(BALANCE, chain),
      ...(chain === 'ethereum' && { nonces: this.#nonces() }),
    };
  }

  #nonces() {
    const latest = this.#ledger.nextNonce(this.#seen());
    return { latest, pending: Math.max(latest, this.#ledger.pendingNonce()) };
  }

  finalNonce(): FinalNonce | undefined {
    const { chain } = this.#ledger;
    if (chain !== 'ethereum') return undefined;
    const final = this.#seen() - SANDBOX_FINAL_DEPTH;
    const time = secondsOf(this.#ledger.timeOf(final));
    return { nonce: this.#ledger.nextNonce(final, true), time, asOf: final };
  }

  #readingAt({ key: { wallet }, known }: Question, block: number): Reading {
    const { waits } = this.#ledger.script(wallet);
    if (waits === 'nodes-unanswered')
      return { type: 'unreadable', why: describeReason({ code: waits }), isUnanswered: true };
    return readingFor(this.#ownedAt(wallet, block), known);
  }

  #ownedAt(wallet: string, block: number) {
    return { tokens: this.#ledger.tokens(wallet, block), asOf: block };
  }
}
