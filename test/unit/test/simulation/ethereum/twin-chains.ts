import type { Hex } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { expect, vi } from 'vitest';
import { gatewayDeploymentOf, readGatewayBuild } from '../../../../../ops/network/gateway-build.ts';
import { errorKindOf } from '../../../../../src/chain/ethereum/node-answers.ts';
import { OWNERLESS_CONTRACT } from '../../../../../src/network/networks.ts';
import { CIVIC_CONTRACT, installCivicContract } from '../../../../../tools/localnet/ethereum/civic-contract.ts';
import { installGatewayContract } from '../../../../../tools/localnet/ethereum/gateway-contract.ts';
import { startChain } from '../../../../../tools/localnet/ethereum/start-node.ts';
import { findFreePort } from '../../../../../tools/localnet/state/ports.ts';
import { EthereumChain, SLIM_CODE } from '../../../../simulation/ethereum/chain.ts';
import { EthereumNode } from '../../../../simulation/ethereum/node.ts';

/** A chain of the simulation and a real node (anvil) with the real contracts of both builds. Every change is made on both. */

const CHAIN_ID = 11_155_111;
const EPOCH_BLOCKS = 4;
/** As anvil computes it. */
const FINAL_DISTANCE = 2 * EPOCH_BLOCKS;
const GWEI = 10n ** 9n;

/** Accounts that every anvil node funds. Nobody has used them. */
const account = (addressIndex: number) =>
  mnemonicToAccount('test test test test test test test test test test test junk', { addressIndex });
export const ACTORS = [2, 3, 4, 5, 6].map(account);
/** The super admin of the second contract. */
const ADMIN = ACTORS[2] as ReturnType<typeof account>;
/** The contract of the build SlimGateway. */
export const SLIM_CONTRACT: Hex = '0x5100000000000000000000000000000000000051';
export const CONTRACTS: readonly Hex[] = [OWNERLESS_CONTRACT, CIVIC_CONTRACT, SLIM_CONTRACT];
const { implementation: IMPLEMENTATION } = gatewayDeploymentOf(readGatewayBuild());
export const IMPLEMENTATION_ADDRESS = IMPLEMENTATION.address;

export interface Call {
  readonly method: string;
  readonly params: readonly unknown[];
}
interface Answer {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export interface SendOptions {
  readonly nonce?: number;
  readonly gas?: bigint;
  readonly fee?: bigint;
  readonly tip?: bigint;
  readonly isLegacy?: boolean;
}

export class TwinChains {
  chain: EthereumChain;
  node: EthereumNode;
  readonly url: string;
  readonly stop: () => Promise<void>;
  /** Number of equal answers, by method. */
  readonly compared: Record<string, number> = {};
  /** The selectors of called functions, and whether the call succeeded. */
  readonly outcomes = new Set<string>();
  /** Unix seconds. */
  time: number;
  readonly #first: { readonly number: number; readonly time: number };
  readonly #codes: readonly (readonly [Hex, Hex])[];
  #start = '';
  /** The snapshots before each block. */
  #snapshots: string[] = [];
  /** The bytes of every sent transaction, by hash. */
  readonly #bytes = new Map<string, Hex>();
  #prices = 0n;

  static async open(): Promise<TwinChains> {
    const port = await findFreePort();
    const flags = ['--slots-in-an-epoch', String(EPOCH_BLOCKS)];
    const { rpcUrl, stop } = await startChain(CHAIN_ID, { network: 'twin', port }, flags);
    await installGatewayContract(rpcUrl, []);
    await installCivicContract(rpcUrl, ADMIN.address);
    const ask = (method: string, ...params: unknown[]) =>
      askNode(rpcUrl, [{ method, params }]).then(([a]) => a?.result);
    await ask('anvil_setCode', SLIM_CONTRACT, SLIM_CODE);
    await ask('evm_setAutomine', false);
    const codes = [...CONTRACTS, IMPLEMENTATION_ADDRESS].map(
      async (each) => [each.toLowerCase() as Hex, (await ask('eth_getCode', each, 'latest')) as Hex] as const,
    );
    const { number, timestamp } = (await ask('eth_getBlockByNumber', 'latest', false)) as Record<string, string>;
    const first = { number: Number(number), time: Number(timestamp) };
    return new TwinChains(rpcUrl, stop, first, await Promise.all(codes));
  }

  private constructor(
    url: string,
    stop: () => Promise<void>,
    first: TwinChains['first'],
    codes: readonly (readonly [Hex, Hex])[],
  ) {
    this.url = url;
    this.stop = stop;
    this.#first = first;
    this.#codes = codes;
    this.time = first.time;
    this.chain = this.#newChain();
    this.node = new EthereumNode(this.chain);
  }

  get first() {
    return this.#first;
  }

  #newChain(): EthereumChain {
    const contracts = CONTRACTS.map((address, index) => ({
      address,
      ...(address === SLIM_CONTRACT ? { build: 'slim' as const } : { implementation: IMPLEMENTATION_ADDRESS }),
      ...(index === 1 && { superAdmin: ADMIN.address }),
    }));
    const { number, time } = this.#first;
    const place = { genesisTime: time, blockSeconds: 1, finalDistance: FINAL_DISTANCE, firstBlock: number };
    const chain = new EthereumChain({ chainId: CHAIN_ID, contracts, ...place });
    for (const [address, code] of this.#codes) chain.codes.set(address, code);
    return chain;
  }

  /** Brings both back to the state after the installation of the contracts. */
  async begin(): Promise<void> {
    if (this.#start !== '') await this.#real('evm_revert', this.#start);
    await this.#real('anvil_dropAllTransactions');
    this.#start = (await this.#real('evm_snapshot')) as string;
    this.#snapshots = [];
    this.#bytes.clear();
    this.#prices = 0n;
    this.chain = this.#newChain();
    this.node = new EthereumNode(this.chain);
    // From here on, the final blocks are those that both have made, at other times than before: anvil loses the state of a block that it
    // makes or leaves a second time.
    for (let blocks = 0; blocks <= FINAL_DISTANCE; blocks += 1) await this.mine();
    this.#snapshots = [];
  }

  async mine(seconds = 12): Promise<void> {
    this.time += seconds;
    vi.setSystemTime(this.time * 1000);
    this.#snapshots.push((await this.#real('evm_snapshot')) as string);
    await this.#real('anvil_setNextBlockBaseFeePerGas', `0x${this.chain.baseFee.toString(16)}`);
    await this.#real('evm_setNextBlockTimestamp', this.time);
    await this.#real('anvil_mine', '0x1');
    this.chain.mine(this.time);
    for (const { transaction, succeeded } of this.chain.head.receipts.values())
      this.outcomes.add(`${transaction.data.slice(0, 10)} ${succeeded}`);
  }

  /** Other blocks take the place of the newest ones. */
  async reorganize(blocks: number, drops: boolean): Promise<void> {
    const depth = Math.min(blocks, this.#snapshots.length, this.chain.head.number - this.chain.final);
    if (depth === 0) return;
    const waited = this.chain.waiting.map(({ hash }) => hash);
    this.chain.reorganize(depth, drops);
    await this.#real('evm_revert', this.#snapshots.at(-depth));
    this.#snapshots = this.#snapshots.slice(0, -depth);
    await this.#real('anvil_dropAllTransactions');
    const all = this.chain.waiting.map(({ hash }) => hash);
    const again = [...all.filter((hash) => !waited.includes(hash)), ...waited];
    for (const hash of again) await this.#real('eth_sendRawTransaction', this.#bytes.get(hash));
    for (let left = depth; left > 0; left -= 1) await this.mine();
  }

  async forget(): Promise<void> {
    await this.#real('anvil_dropAllTransactions');
    this.chain.forget();
  }

  /** Sends a signed transaction to both. Each has a lower price than the one before, so that one order of a block is right. */
  async send(actor: number, to: Hex, data: Hex, options: SendOptions = {}): Promise<void> {
    this.#prices += 1n;
    const by = ACTORS[actor % ACTORS.length] as ReturnType<typeof account>;
    const nonce = options.nonce ?? this.chain.pendingNonceOf(by.address);
    const tip = options.tip ?? 10n * GWEI - this.#prices;
    const fee = options.fee ?? this.chain.baseFee + tip;
    const common = { chainId: CHAIN_ID, nonce, to, data, gas: options.gas ?? 500_000n };
    const bytes = await by.signTransaction(
      options.isLegacy
        ? { ...common, type: 'legacy', gasPrice: fee }
        : { ...common, type: 'eip1559', maxFeePerGas: fee, maxPriorityFeePerGas: tip },
    );
    const [[real], [model]] = await this.ask([{ method: 'eth_sendRawTransaction', params: [bytes] }]);
    if (model?.result) this.#bytes.set(model.result as string, bytes);
    this.#expectEqual({ method: 'eth_sendRawTransaction', params: [] }, real, model);
  }

  /** The sent transactions, and whether a waiting one with the same nonce pays more. */
  get sent(): readonly { readonly hash: string; readonly isOutbid: boolean }[] {
    const { waiting } = this.chain;
    return [...this.#bytes.keys()].map((hash) => {
      const own = waiting.find((each) => each.hash === hash);
      const isOutbid = waiting.some(
        (each) => own && each.from === own.from && each.nonce === own.nonce && each.fee > own.fee,
      );
      return { hash, isOutbid };
    });
  }

  /** Asks both. The answers of the real node come first. */
  async ask(calls: readonly Call[]): Promise<readonly [readonly Answer[], readonly Answer[]]> {
    const model = JSON.parse(this.node.answer(JSON.stringify(requestsOf(calls)))) as Answer[];
    return [await askNode(this.url, calls), model];
  }

  /** Asks both, and expects the same answers apart from hashes of blocks. */
  async compare(calls: readonly Call[]): Promise<void> {
    const blocks = this.#blockCalls();
    const [real, model] = (await this.ask([...blocks, ...calls])).map((answers) => {
      const text = JSON.stringify(answers.slice(blocks.length));
      return JSON.parse(withoutHashes(text, answers.slice(0, blocks.length))) as Answer[];
    }) as [Answer[], Answer[]];
    for (const [index, call] of calls.entries()) this.#expectEqual(call, real[index], model[index]);
  }

  /** Expects these flags of the real contract. */
  async expectFlags(expected: readonly (readonly [Call, boolean])[]): Promise<void> {
    const answers = await askNode(
      this.url,
      expected.map(([call]) => call),
    );
    expect(answers.map(({ result }) => BigInt(String(result)) === 1n)).toEqual(expected.map(([, flag]) => flag));
  }

  /** Expects the same text of a reader of either chain, apart from hashes of blocks. */
  async compareReaders(read: (url: string) => Promise<string>): Promise<void> {
    this.#serveModel();
    const answers = await this.ask(this.#blockCalls());
    const [real, model] = await Promise.all(
      [this.url, MODEL_URL].map(async (url, side) => withoutHashes(await read(url), answers[side] ?? [])),
    );
    expect(model).toBe(real);
  }

  #blockCalls(): Call[] {
    return Array.from({ length: this.chain.head.number - this.#first.number + 1 }, (_, index) => ({
      method: 'eth_getBlockByNumber',
      params: [`0x${(this.#first.number + index).toString(16)}`, false],
    }));
  }

  /** Answers requests of the code under test to the URL of the model. */
  #serveModel(): void {
    vi.stubGlobal('fetch', async (url: string, init: RequestInit) =>
      url === MODEL_URL ? new Response(this.node.answer(String(init.body))) : realFetch(url, init),
    );
  }

  #expectEqual(call: Call, real: Answer | undefined, model: Answer | undefined): void {
    this.compared[call.method] = (this.compared[call.method] ?? 0) + 1;
    const why = JSON.stringify(call);
    if (real?.error || model?.error) expect(errorOf(model), why).toEqual(errorOf(real));
    // The model knows the gas by the kind of the call only.
    else if (call.method === 'eth_estimateGas') return;
    else expect(comparable(model?.result), why).toEqual(comparable(onlyFieldsOf(model?.result, real?.result)));
  }

  async #real(method: string, ...params: unknown[]): Promise<unknown> {
    const [answer] = await askNode(this.url, [{ method, params }]);
    if (answer?.error) throw new Error(`${method}: ${answer.error.message}`);
    return answer?.result;
  }
}

const MODEL_URL = 'http://model.test/';
const { fetch: realFetch } = globalThis;

/** Returns the text with the number of a block in place of its hash. */
const withoutHashes = (text: string, blocks: readonly Answer[]) =>
  blocks.reduce((all, { result }, index) => all.replaceAll(Object(result).hash as string, `hash ${index}`), text);

const requestsOf = (calls: readonly Call[]) => calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call }));

async function askNode(url: string, calls: readonly Call[]): Promise<Answer[]> {
  const response = await realFetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(requestsOf(calls)),
  });
  return ((await response.json()) as Answer[]).toSorted((a, b) => a.id - b.id);
}

/** The meaning that the service sees, and the data of a revert. Nodes word their errors differently. */
function errorOf(answer: Answer | undefined) {
  const { error } = answer ?? {};
  return error && { kind: errorKindOf(error), data: error.data ?? '0x' };
}

/** Returns the real result without the fields that the model does not have. */
function onlyFieldsOf(model: unknown, real: unknown): unknown {
  if (Array.isArray(model) && Array.isArray(real))
    return real.map((each, index) => onlyFieldsOf(model[index] ?? model[0], each));
  if (typeof model !== 'object' || typeof real !== 'object' || model === null || real === null) return real;
  return Object.fromEntries(
    Object.entries(model).map(([name, each]) => [name, onlyFieldsOf(each, (real as Record<string, unknown>)[name])]),
  );
}

/** Lower case, and no gas, which the model knows by the kind of the call only. */
const comparable = (result: unknown) =>
  JSON.parse(
    JSON.stringify(result ?? null, (name, value) => {
      if (name === 'gasUsed') return undefined;
      return typeof value === 'string' ? value.toLowerCase() : value;
    }),
  );
