import type { Address, Instruction, Transaction } from '@solana/kit';
import { expect, vi } from 'vitest';
import { createChain, newestBlock } from '../../../../../tools/localnet/solana/chain/blocks.ts';
import { genesisAccounts } from '../../../../../tools/localnet/solana/chain/genesis.ts';
import { type Ledger, makeBlock, rollBack, setAccount } from '../../../../../tools/localnet/solana/chain/ledger.ts';
import type { SentTransaction } from '../../../../../tools/localnet/solana/chain/sent-transaction.ts';
import { findSolanaProgram } from '../../../../../tools/localnet/solana/program-file.ts';
import { answerCall } from '../../../../../tools/localnet/solana/rpc/json-rpc.ts';
import type { SolanaNode as LocalnetNode } from '../../../../../tools/localnet/solana/rpc/solana-node.ts';
import { createEmulation } from '../../../../../tools/localnet/solana/runtime/emulation.ts';
import {
  expireFeatureAccountOf,
  GATEWAY_PROGRAM,
} from '../../../../../tools/localnet/solana/runtime/gateway-addresses.ts';
import { FIRST_RENT, rentExemptMinimum } from '../../../../../tools/localnet/solana/runtime/rent.ts';
import type { Runtime } from '../../../../../tools/localnet/solana/runtime/runtime.ts';
import { SYSTEM_PROGRAM } from '../../../../../tools/localnet/solana/runtime/system-program.ts';
import { SolanaChain } from '../../../../simulation/solana/chain.ts';
import { SolanaNode } from '../../../../simulation/solana/node.ts';
import { OTHERS_PAYER, type OthersCall, type Version } from '../../../../simulation/solana/others.ts';

/** The hash that the localnet's node shows. */
export const DEVNET = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG';
export const OPTIONS = { genesisHash: DEVNET, genesisTime: 1_800_000_000, blockSeconds: 0.4, finalDistance: 32 };

/** The program itself if its file exists, like the localnet's node, and its emulation otherwise. */
async function openRuntime(): Promise<Runtime> {
  const file = findSolanaProgram(undefined);
  if (file === undefined) return createEmulation();
  const { createVirtualMachine } = await import('../../../../../tools/localnet/solana/runtime/litesvm.ts');
  return createVirtualMachine({ address: GATEWAY_PROGRAM, file });
}
const RUNTIME = await openRuntime();

/** A cluster of the simulation and the localnet's node, with equal blockhashes. Each deed reaches both. */
export class Twins {
  readonly chain = new SolanaChain(OPTIONS);
  readonly node = new SolanaNode(this.chain);
  /** Number of equal answers, by method. */
  readonly compared: Record<string, number> = {};
  readonly #localnet: LocalnetNode;
  readonly #ofOthers = new Set<Transaction>();
  readonly #sent = new Map<string, SentTransaction>();
  #time = OPTIONS.genesisTime;

  static async open(expirable: readonly Address[]): Promise<Twins> {
    const twins = new Twins(await genesisAccounts());
    for (const network of expirable) twins.#allowExpireToken(network);
    return twins;
  }

  private constructor(genesis: Awaited<ReturnType<typeof genesisAccounts>>) {
    vi.setSystemTime(this.#time * 1000);
    const ledger: Ledger = {
      runtime: { run: (sent, bank, verify) => RUNTIME.run(sent, bank, verify && !this.#ofOthers.has(sent)) },
      chain: createChain({ processed: 0, confirmed: 1, finalized: 32 }, { slot: 1_000_000, height: 900_000 }),
      accounts: new Map([...genesis].map(([address, account]) => [address, [{ slot: 0, account }]])),
      waiting: new Map(),
      landed: new Map(),
      lamportsPerByte: FIRST_RENT,
      changes: 0,
    };
    const { genesisHash } = OPTIONS;
    this.#localnet = { ledger, genesisHash, faults: [], requests: { http: 0, calls: {} }, setSlotMs() {} };
    setAccount(ledger, OTHERS_PAYER, emptyAccount(10n ** 15n, SYSTEM_PROGRAM));
    this.#copyBlockhash();
  }

  get time(): number {
    return this.#time;
  }

  /** @param room For how many transactions of the service each block has room: all or none. */
  mine(blocks = 1, room: 0 | undefined = undefined): void {
    const { ledger } = this.#localnet;
    for (let made = 0; made < blocks; made += 1) {
      this.#time += OPTIONS.blockSeconds;
      vi.setSystemTime(this.#time * 1000);
      for (const [signature, sent] of ledger.waiting) this.#sent.set(signature, sent);
      // The simulation promises this order. The localnet's node includes transactions as they come.
      const before = [...ledger.waiting];
      const order = before.toSorted(([, a], [, b]) => this.#rankOf(b) - this.#rankOf(a));
      ledger.waiting.clear();
      const fits = ([, sent]: (typeof order)[number]) => room === undefined || this.#ofOthers.has(sent.transaction);
      for (const [signature, sent] of order.filter(fits)) ledger.waiting.set(signature, sent);
      this.chain.mine(this.#time, room);
      makeBlock(ledger);
      for (const [signature, sent] of before) if (!fits([signature, sent])) ledger.waiting.set(signature, sent);
      this.#copyBlockhash();
    }
  }

  reorganize(blocks: number, drops: boolean): void {
    const { ledger } = this.#localnet;
    const before = [...ledger.landed.keys()];
    rollBack(ledger, blocks);
    this.chain.reorganize(blocks, drops);
    for (const signature of drops ? [] : before)
      if (!ledger.landed.has(signature)) ledger.waiting.set(signature, this.#sent.get(signature) as SentTransaction);
  }

  byOthers(sender: Address, calls: readonly (OthersCall | Instruction)[], version?: Version): string {
    const signature = this.chain.byOthers(sender, calls, version);
    const sent = this.chain.viewFrom(0).waiting.get(signature) as SentTransaction;
    this.#ofOthers.add(sent.transaction);
    this.#localnet.ledger.waiting.set(signature, sent);
    return signature;
  }

  setRent(lamportsPerByte: bigint): void {
    this.chain.setRent(lamportsPerByte);
    this.#localnet.ledger.lamportsPerByte = lamportsPerByte;
  }

  /** Returns the answer of both. Fails if they differ. */
  async answer(body: string): Promise<string> {
    const calls = [JSON.parse(body)].flat();
    const text = this.node.answer(body);
    const answers = [JSON.parse(text)].flat();
    for (const [index, call] of calls.entries()) {
      const real = JSON.parse(toJson(await answerCall(this.#localnet, call)));
      expect(answers[index], JSON.stringify(call)).toEqual(real);
      const outcome = 'error' in real ? `: ${real.error.code}` : real.result === null ? ': null' : '';
      this.count(`${call.method}${outcome}`);
    }
    return text;
  }

  count(outcome: string): void {
    this.compared[outcome] = (this.compared[outcome] ?? 0) + 1;
  }

  async ask<Result>(method: string, ...params: readonly unknown[]): Promise<Result> {
    return JSON.parse(await this.answer(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))).result;
  }

  #rankOf({ transaction, price }: SentTransaction): number {
    return this.#ofOthers.has(transaction) ? Number.POSITIVE_INFINITY : price;
  }

  #allowExpireToken(network: Address): void {
    this.chain.allowExpireToken(network);
    const feature = emptyAccount(rentExemptMinimum(0), GATEWAY_PROGRAM);
    setAccount(this.#localnet.ledger, expireFeatureAccountOf(network), feature);
  }

  #copyBlockhash(): void {
    const { blockhash } = newestBlock(this.chain.viewFrom(0).chain);
    Object.assign(newestBlock(this.#localnet.ledger.chain), { blockhash });
  }
}

const emptyAccount = (lamports: bigint, owner: Address) => ({
  lamports,
  data: new Uint8Array(),
  owner,
  executable: false,
});

const toJson = (value: unknown) => JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? Number(each) : each));
