import type { Token } from '../chain/plan-step.ts';
import { hashOf, identifierOf } from '../chain/sandbox/sandbox-chain.ts';
import { encodeBase58 } from '../lib/bytes.ts';
import type { Milliseconds } from '../lib/units.ts';
import type { Chain } from '../network/network.ts';
import { SANDBOX_FINAL_DEPTH, sandboxCaseOf } from '../network/sandbox.ts';
import type { Wallet } from '../network/wallet.ts';
import { representativeToken } from '../pass/adopt.ts';
import { STEP_KINDS } from '../pass/step-kinds.ts';
import { WALLET_MAX_TOKENS } from '../pass/wait-reasons.ts';
import * as agenda from './agenda.ts';
import { SCRIPTS, type Script } from './agenda.ts';
import { blocksIn, HISTORY_BLOCKS, secondsOf, timeOf } from './blocks.ts';
import type { SentRow } from './tables.ts';
import * as tables from './tables.ts';
import {
  isAccepted,
  type Operation,
  type StoredToken,
  type TokenVersion,
  tokensAt,
  versionAfter,
  withoutVersionsFrom,
  withVersion,
} from './tokens.ts';

/** The gatekeeper of the tokens that others issue on Solana. */
export const OTHER_GATEKEEPER = 'SandboxAnotherGatekeeper1111111111111111111';

/** A dropped transaction never gets into a block. */
const NEVER = Number.MAX_SAFE_INTEGER;
/** A transaction that comes back when its pass has recorded the reorg (`bringBack`). */
const WHEN_RECORDED = NEVER - 1;
/** Blocks from the confirmation that a signer has seen until the reorg, so that a partner sees the confirmation. */
const REORG_AFTER_BLOCKS = 8;

interface Place {
  readonly chain: Chain;
  readonly network: string;
  /** The newest block. */
  readonly head: number;
  /** When the sandbox began (ms). */
  readonly began: Milliseconds;
}

/**
 * The tokens and transactions of one simulated network, up to one block. Blocks follow from the time, and a block gets its content when
 * somebody asks for it: `settle` makes the blocks that have any.
 */
export class Ledger {
  readonly chain: Chain;
  readonly network: string;
  readonly head: number;
  readonly #began: Milliseconds;
  readonly #sql: SqlStorage;
  readonly #id: string;
  readonly #scripts = new Map<string, Script>();
  #open: Map<string, SentRow>;

  constructor(sql: SqlStorage, { chain, network, head, began }: Place) {
    this.#sql = sql;
    this.chain = chain;
    this.network = network;
    this.head = head;
    this.#began = began;
    this.#id = agenda.networkId(chain, network);
    this.#open = new Map(tables.openRows(sql, this.#id).map((row) => [row.identifier, row]));
    this.#settle();
  }

  /** Returns the newest block that is final for the wallet: a block that will leave the chain does not become final. */
  finalFor(wallet: string, head = this.head): number {
    const held = [...this.#open.values()].filter((row) => row.isHeld > 0 && row.wallet === wallet);
    return Math.min(head - SANDBOX_FINAL_DEPTH, ...held.map(({ effective }) => (effective ?? head) - 1));
  }

  tokens(wallet: string, block = this.head): Token[] {
    return tokensAt(this.#stored(wallet), block);
  }

  script(wallet: string): Script {
    const known = this.#scripts.get(wallet);
    if (known !== undefined) return known;
    const name = sandboxCaseOf(wallet);
    const script = tables.readScript(this.#sql, this.#id, wallet) ?? (name ? SCRIPTS[name] : {});
    this.#scripts.set(wallet, script);
    return script;
  }

  assign(wallet: Wallet, script: Script): void {
    this.#scripts.set(wallet, script);
    tables.storeScript(this.#sql, this.#id, wallet, script);
  }

  /** Returns the time of a block in milliseconds. */
  timeOf(block: number): Milliseconds {
    return this.#began + timeOf(block);
  }

  find(identifier: string): SentRow | undefined {
    const row = this.#open.get(identifier) ?? tables.findSent(this.#sql, identifier);
    return row?.due === NEVER ? undefined : row;
  }

  /** Returns the first nonce that no transaction has used up to a block. */
  nextNonce(block: number, isFinal = false): number {
    const used = [...this.#open.values()].filter(
      ({ included, isHeld }) => included !== null && included <= block && !(isFinal && isHeld > 0),
    );
    return this.#firstFree(used);
  }

  /** Returns the first nonce that neither a block nor a waiting transaction has. */
  pendingNonce(): number {
    return this.#firstFree([...this.#open.values()]);
  }

  #firstFree(rows: readonly SentRow[]): number {
    const used = new Set(rows.map(({ nonce }) => nonce));
    let next = tables.closedNonces(this.#sql, this.#id);
    while (used.has(next)) next += 1;
    return next;
  }

  /** Takes a transaction for the next block, unless it is known, or too old. */
  send(row: Pick<SentRow, 'identifier' | 'wallet' | 'call' | 'nonce' | 'lastBlock'>): void {
    const isKnown = this.#open.has(row.identifier) || tables.findSent(this.#sql, row.identifier) !== undefined;
    if (isKnown || (row.lastBlock !== null && row.lastBlock <= this.head)) return;
    const waiting = { due: this.head + 1, included: null, effective: null, succeeded: null, branch: 0, isHeld: 0 };
    this.#store({ ...row, ...waiting });
  }

  /** Makes the nodes drop the transactions that wait for a block. */
  forgetWaiting(): void {
    for (const row of [...this.#open.values()].filter(({ included }) => included === null)) this.#delete(row);
  }

  /** Uses the next nonce for somebody else's transaction with the key of the signer. */
  useNonce(): void {
    const nonce = this.nextNonce(this.head);
    this.#storeForeign(`somebody else with nonce ${nonce}`, nonce, this.head);
  }

  /** Schedules the reorg of a transaction that its signer has seen confirmed. */
  scheduleReorg(row: SentRow): void {
    const { wallet, effective, isHeld } = row;
    const fate = wallet === null ? undefined : this.script(wallet).reorg;
    if (wallet === null || effective === null || fate === undefined || isHeld !== 1) return;
    this.#store({ ...row, isHeld: 2 });
    this.#visit(wallet as Wallet, this.head + REORG_AFTER_BLOCKS, { reorg: { from: effective, fate, isOut: false } });
  }

  /** Schedules a change by others for the next block, or for a later one. */
  scheduleChange(wallet: Wallet, change: Omit<Operation, 'token'>, block = this.head + 1): void {
    const { kind, expiry } = change;
    agenda.addChainEvent(this.#sql, { network: this.#id, wallet, block }, { kind, expiry });
  }

  /** Does what follows when a pass has learned of the state of its reorg. */
  continueReorg(wallet: Wallet, { from, fate, isOut }: agenda.Reorg): void {
    if (isOut) return this.#bringBack(wallet);
    // One reorg is enough.
    this.assign(wallet, { ...this.script(wallet), reorg: undefined });
    this.reorganize(wallet, from, fate);
    this.#visit(wallet, this.head, { reorg: { from, fate, isOut: true } });
  }

  /**
   * Takes the blocks from `from` on off the chain, as far as they concern the wallet. A block with a change by others stays. Returns
   * whether it has done so.
   * @param fate The transactions come back for certain, when the pass has recorded the reorg, or wait for a block like new ones, or the
   * nodes forget them, or they are dropped and their nonces are used.
   */
  reorganize(wallet: Wallet, from: number, fate: 'again' | 'waiting' | 'forgotten' | 'dropped'): boolean {
    const stored = this.#stored(wallet);
    if (stored.some(({ versions }) => versions.some((each) => each.from >= from && each.isByOthers))) return false;
    const lost = [...this.#open.values()].filter(
      (row) => row.wallet === wallet && Math.max(row.included ?? 0, row.effective ?? 0) >= from,
    );
    if (lost.length === 0) return false;
    for (const token of withoutVersionsFrom(stored, from)) tables.storeToken(this.#sql, this.#id, wallet, token);
    agenda.deleteChanges(this.#sql, this.#id, wallet);
    for (const row of lost) {
      const branch = row.branch + 1;
      const out = { ...row, included: null, effective: null, succeeded: null, isHeld: 0, branch };
      this.#delete(row);
      if (fate === 'again') this.#store({ ...out, lastBlock: null, due: WHEN_RECORDED });
      if (fate === 'waiting') this.#store({ ...out, due: this.head + 1 });
      if (fate !== 'dropped') continue;
      tables.storeSent(this.#sql, this.#id, { ...out, due: NEVER }, false);
      if (row.nonce !== null) this.#storeForeign(`instead of ${row.identifier}`, row.nonce, this.head + 1);
    }
    return true;
  }

  /** Deletes everything about a wallet, apart from transactions whose nonces an earlier one holds up. */
  forget(wallet: Wallet): void {
    this.#close();
    tables.forgetWallet(this.#sql, this.#id, wallet);
    agenda.deleteEvents(this.#sql, this.#id, wallet);
  }

  /** Puts the transactions of a wallet that have left the chain into the next block. */
  #bringBack(wallet: Wallet): void {
    const gone = this.#waiting().filter((row) => row.wallet === wallet && row.branch > 0);
    for (const row of gone) this.#store({ ...row, due: Math.min(row.due, this.head + 1) });
  }

  #settle(): void {
    let events = agenda.dueChainEvents(this.#sql, this.#id, this.head);
    let before = -1;
    let isChanged = false;
    for (;;) {
      const dues = [...this.#waiting().map(({ due }) => due), ...events.map(({ block }) => block)];
      const block = Math.min(...dues.filter((due) => due > before && due <= this.head));
      if (!Number.isFinite(block)) break;
      isChanged = true;
      for (const event of events.filter((each) => each.block <= block)) this.#apply(event, block);
      for (const row of this.#waiting()) if (row.due <= block) this.#include(row, block);
      before = block;
      events = agenda.dueChainEvents(this.#sql, this.#id, this.head);
    }
    if (isChanged) this.#close();
  }

  /** Returns the transactions that no block shows, in the order in which a block takes them. */
  #waiting(): SentRow[] {
    const waiting = [...this.#open.values()].filter(({ effective }) => effective === null);
    return waiting.sort((a, b) => (a.nonce ?? 0) - (b.nonce ?? 0) || (a.identifier < b.identifier ? -1 : 1));
  }

  #include(row: SentRow, block: number): void {
    if (row.included !== null) return this.#execute(row, block);
    if (row.lastBlock !== null && row.lastBlock < block) return this.#delete(row);
    if (row.nonce !== null) {
      const next = this.nextNonce(block);
      if (row.nonce < next || this.#isUsed(row.nonce)) return this.#delete(row);
      if (row.nonce > next) return;
    }
    const { delayMs = 0 } = row.wallet === null ? {} : this.script(row.wallet);
    if (delayMs === 0) return this.#execute({ ...row, included: block }, block);
    this.#store({ ...row, included: block, due: block + blocksIn(delayMs) });
  }

  #isUsed(nonce: number): boolean {
    return [...this.#open.values()].some((row) => row.nonce === nonce && row.included !== null);
  }

  #execute(row: SentRow, block: number): void {
    const { wallet, call } = row;
    const done = { ...row, effective: block };
    if (wallet === null || call === '') return this.#store({ ...done, succeeded: 1 });
    const operation = JSON.parse(call) as Operation;
    const isDone = isAccepted(this.chain, operation, this.tokens(wallet, block));
    if (isDone) this.#change(wallet, operation, block);
    const isIssued = isDone && operation.kind === 'issue';
    const { reorg, afterIssuance = [] } = this.script(wallet);
    this.#store({ ...done, succeeded: Number(isDone), isHeld: Number(isIssued && reorg !== undefined) });
    for (const { afterMs, kind, expiresAfterMs } of isIssued ? afterIssuance : []) {
      const expiry = expiresAfterMs === undefined ? undefined : secondsOf(this.timeOf(block) + expiresAfterMs);
      this.scheduleChange(wallet as Wallet, { kind, expiry }, block + Math.max(1, blocksIn(afterMs)));
    }
  }

  #apply({ seq, wallet, body }: agenda.Scheduled<agenda.ChainEvent>, block: number): void {
    agenda.deleteEvent(this.#sql, seq);
    this.#changeByOthers(wallet, body, block);
  }

  #changeByOthers(wallet: Wallet, { kind, expiry }: Omit<Operation, 'token'>, block: number): void {
    const tokens = this.tokens(wallet, block);
    const token = kind === 'issue' ? undefined : (representativeToken(tokens)?.id as string | undefined);
    const operation = { kind, expiry, token };
    // Others may issue at an address of their own, and without a bound the row of a wallet would grow.
    const isDone =
      kind === 'issue' ? this.#stored(wallet).length < WALLET_MAX_TOKENS : isAccepted(this.chain, operation, tokens);
    if (!isDone) return;
    const foreign =
      kind === 'issue' && this.chain === 'solana' ? { foreign: true as const, issuer: OTHER_GATEKEEPER } : {};
    this.#change(wallet, operation, block, { isByOthers: true, ...foreign });
    const change = kind === 'burn' ? 'TOKEN_REVOKED' : STEP_KINDS[kind].change;
    const transaction = identifierOf(this.chain, `others ${this.#id} ${wallet} ${kind} ${block}`);
    const since = block + SANDBOX_FINAL_DEPTH;
    this.#visit(wallet, since, { since: block, causes: [{ change, transaction }] });
  }

  #visit(wallet: Wallet, block: number, visit: agenda.Visit): void {
    agenda.addVisit(this.#sql, { network: this.#id, wallet, block }, visit);
  }

  #change(wallet: string, operation: Operation, block: number, more: Partial<TokenVersion> = {}): void {
    const stored = this.#stored(wallet);
    const made: StoredToken = { id: this.#tokenId(wallet, stored.length), versions: [] };
    const token = operation.kind === 'issue' ? made : stored.find(({ id }) => id === operation.token);
    if (token === undefined) return;
    const version = { ...versionAfter(operation, token.versions.at(-1), block), ...more };
    tables.storeToken(this.#sql, this.#id, wallet, withVersion(token, version, block - HISTORY_BLOCKS));
  }

  #stored(wallet: string): StoredToken[] {
    const stored = tables.readTokens(this.#sql, this.#id, wallet);
    if (stored.length > 0 || !this.script(wallet).holdsToken) return stored;
    const foreign = this.chain === 'solana' ? { foreign: true as const, issuer: OTHER_GATEKEEPER } : {};
    return [{ id: this.#tokenId(wallet, 0), versions: [{ state: 'ACTIVE', from: 0, isByOthers: true, ...foreign }] }];
  }

  /** Returns the id of a wallet's token: a number, or an address. */
  #tokenId(wallet: string, index: number): string {
    const hash = hashOf(`token ${this.#id} ${wallet} ${index}`);
    return this.chain === 'solana' ? encodeBase58(hash) : String(new DataView(hash.buffer).getUint32(hash.byteOffset));
  }

  /** Closes transactions on whose block no answer depends, so that a long list slows down nothing. */
  #close(): void {
    const old = [...this.#open.values()].filter(
      ({ effective, isHeld }) => effective !== null && isHeld === 0 && effective <= this.head - HISTORY_BLOCKS,
    );
    let used = tables.closedNonces(this.#sql, this.#id);
    const before = used;
    for (const row of old.sort((a, b) => (a.nonce ?? 0) - (b.nonce ?? 0))) {
      // A nonce before it may become free again.
      if (row.nonce !== null && row.nonce !== used) break;
      if (row.nonce !== null) used += 1;
      tables.storeSent(this.#sql, this.#id, row, false);
      this.#open.delete(row.identifier);
    }
    if (used > before) tables.storeClosedNonces(this.#sql, this.#id, used);
  }

  #storeForeign(text: string, nonce: number, at: number): void {
    const identifier = identifierOf(this.chain, `${this.#id} ${text}`);
    const block = { due: at, included: at, effective: at, succeeded: 1 };
    const nothing = { wallet: null, call: '', lastBlock: null, branch: 0, isHeld: 0 };
    this.#store({ identifier, nonce, ...block, ...nothing });
  }

  #store(row: SentRow): void {
    tables.storeSent(this.#sql, this.#id, row, true);
    this.#open.set(row.identifier, row);
  }

  #delete({ identifier }: SentRow): void {
    tables.deleteSent(this.#sql, identifier);
    this.#open.delete(identifier);
  }
}
