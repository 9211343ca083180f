import type { Token } from '../../../src/chain/plan-step.ts';
import type { ChainPort } from '../../../src/chain/port.ts';
import { type Answered, type Arguments, type NodeMethod, portOf } from '../../../src/chain/sandbox/sandbox-chain.ts';
import type { Chain } from '../../../src/network/network.ts';
import { SANDBOX_BLOCK_MS, SANDBOX_FINAL_DEPTH } from '../../../src/network/sandbox.ts';
import type { Wallet } from '../../../src/network/wallet.ts';
import { representativeToken } from '../../../src/pass/adopt.ts';
import { FIRST_BLOCK } from '../../../src/sandbox-object/blocks.ts';
import { Ledger } from '../../../src/sandbox-object/ledger.ts';
import { Node } from '../../../src/sandbox-object/node.ts';
import { createTables, readTokens } from '../../../src/sandbox-object/tables.ts';
import type { Operation } from '../../../src/sandbox-object/tokens.ts';
import type { PaperCall } from './paper-blocks.ts';
import type { StoryChain } from './story-chain.ts';

/** The wallet and the network of all stories. */
const WALLET = 'wallet' as Wallet;
const NETWORK = 'network';
/** Blocks during which a block may include a Solana transaction: few, so that stories see the end. */
const LIFETIME = 8;
const FULL_FOR_BLOCKS = 12;

/** The chain of the sandbox with one wallet. The story makes its blocks in place of the time. */
export class SandboxChain implements StoryChain {
  readonly uncertain = SANDBOX_FINAL_DEPTH;
  readonly #chain: Chain;
  readonly #sql: SqlStorage;
  readonly #port: ChainPort;
  #head = FIRST_BLOCK;
  #lastOfOthers = FIRST_BLOCK;
  #lags: readonly number[] = [0];
  #asked = 0;
  #refuses = false;
  #full = false;
  #forgotten: string[] = [];
  /** The blocks of transactions that changed nothing. */
  #idle: number[] = [];
  readonly #known = new Map<string, Token>();

  constructor(chain: Chain, sql: SqlStorage) {
    this.#chain = chain;
    this.#sql = sql;
    createTables(sql);
    for (const table of ['token', 'sent', 'nonce', 'script', 'event']) sql.exec(`DELETE FROM ${table}`);
    const ask = async <M extends NodeMethod>(_: unknown, method: M, asked: Arguments<M>): Promise<Answered<M>> => {
      const node = new Node(this.#ledger(), () => this.#seen());
      // As in a call of the object, nothing is shared.
      return structuredClone((node[method] as (...items: Arguments<M>) => Answered<M>)(...structuredClone(asked)));
    };
    this.#port = portOf({ ask }, { chain, network: NETWORK });
  }

  #ledger(): Ledger {
    return new Ledger(this.#sql, { chain: this.#chain, network: NETWORK, head: this.#head, began: 0 });
  }

  #seen(): number {
    this.#asked += 1;
    return this.#head - (this.#lags[this.#asked % this.#lags.length] ?? 0);
  }

  get tokens(): readonly Token[] {
    return this.#ledger()
      .tokens(WALLET)
      .map((token) => {
        const text = JSON.stringify(token);
        const known = this.#known.get(text) ?? token;
        this.#known.set(text, known);
        return known;
      });
  }

  get representative(): Token | undefined {
    return representativeToken(this.tokens);
  }

  get #effective(): { identifier: string; call: string }[] {
    const query =
      'SELECT identifier, call FROM sent WHERE effective IS NOT NULL AND succeeded = 1 AND wallet IS NOT NULL';
    return this.#sql.exec<{ identifier: string; call: string }>(query).toArray();
  }

  get expects(): boolean {
    const waiting = this.#sql.exec('SELECT 1 FROM sent WHERE effective IS NULL').toArray();
    const { succeeded } = this;
    return waiting.length > 0 || this.#forgotten.some((each) => !succeeded.includes(each));
  }

  get succeeded(): string[] {
    return this.#effective.map(({ identifier }) => identifier);
  }

  get issued(): number {
    return this.#effective.filter(({ call }) => (JSON.parse(call) as Operation).kind === 'issue').length;
  }

  get idle(): number {
    return this.#idle.length;
  }

  fallBehind(lags: readonly number[]): void {
    this.#lags = lags;
  }

  isBehind(block = 0): boolean {
    return this.#lags.some((lag) => lag > 0) || this.#head < block;
  }

  refuse(all: boolean): void {
    this.#refuses = all;
    this.#assign();
  }

  /** The price of a simulated transaction is always right. Full blocks confirm it late. */
  crowd(full: boolean): void {
    this.#full = full;
    this.#assign();
  }

  #assign(): void {
    this.#ledger().assign(WALLET, {
      refuses: this.#refuses ? 'everything' : undefined,
      delayMs: this.#full ? FULL_FOR_BLOCKS * SANDBOX_BLOCK_MS : 0,
    });
  }

  mine(): void {
    this.#head += 1;
    this.#ledger();
    for (const { versions } of readTokens(this.#sql, `${this.#chain}/${NETWORK}`, WALLET)) {
      const text = ({ state, expiry }: Pick<Token, 'state' | 'expiry'>) => `${state} ${expiry}`;
      for (const [index, version] of versions.entries()) {
        const before = versions[index - 1];
        const isIdle = before !== undefined && text(before) === text(version) && !version.isByOthers;
        if (isIdle && version.from === this.#head) this.#idle.push(this.#head);
      }
    }
  }

  byOthers({ kind, ...call }: PaperCall | { readonly kind: 'burn'; readonly token: Token['id'] }): void {
    this.#ledger().scheduleChange(WALLET, { kind, expiry: 'expiry' in call ? call.expiry : undefined });
    this.mine();
    this.#lastOfOthers = this.#head;
  }

  byTheSameKey(): void {
    if (this.#chain === 'ethereum') this.#ledger().useNonce();
    this.#lastOfOthers = this.#head;
  }

  reorganize(blocks: number, forget: boolean): void {
    const depth = Math.min(blocks, SANDBOX_FINAL_DEPTH, this.#head - this.#lastOfOthers);
    if (depth === 0) return;
    const from = this.#head - depth + 1;
    const query = 'SELECT identifier FROM sent WHERE max(ifnull(included, 0), ifnull(effective, 0)) >= ?';
    const lost = this.#sql.exec<{ identifier: string }>(query, from).toArray();
    if (!this.#ledger().reorganize(WALLET, from, forget ? 'forgotten' : 'waiting')) return;
    if (forget) this.#forgotten.push(...lost.map(({ identifier }) => identifier));
    this.#idle = this.#idle.filter((block) => block < from);
  }

  forget(): void {
    const query = 'SELECT identifier FROM sent WHERE included IS NULL';
    const waiting = this.#sql.exec<{ identifier: string }>(query).toArray();
    this.#forgotten.push(...waiting.map(({ identifier }) => identifier));
    this.#ledger().forgetWaiting();
  }

  prepare: ChainPort['prepare'] = async (requests, unmined) => {
    const { lifetime, ...prepared } = await this.#port.prepare(requests, unmined);
    if (lifetime === undefined) return prepared;
    return { ...prepared, lifetime: { ...lifetime, lastValidBlockHeight: this.#head + LIFETIME } };
  };
  read: ChainPort['read'] = (questions) => this.#port.read(questions);
  observe: ChainPort['observe'] = (questions) => this.#port.observe(questions);
  broadcast: ChainPort['broadcast'] = (transactions) => this.#port.broadcast(transactions);
  track: ChainPort['track'] = (transactions) => this.#port.track(transactions);
  account: ChainPort['account'] = () => this.#port.account();
  finalNonce: ChainPort['finalNonce'] = () => this.#port.finalNonce();
  replaceTransactions: ChainPort['replaceTransactions'] = (transactions) =>
    this.#port.replaceTransactions(transactions);
  signGapFillers: ChainPort['signGapFillers'] = (nonces) => this.#port.signGapFillers(nonces);
}
