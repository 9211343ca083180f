import type { Hex } from 'viem';
import { keccak256 } from 'viem/utils';
import type { LiedCall, Said } from '../../lies/lie.ts';
import { type Block, type PlacedLog, type Receipt, TRANSFER_GAS } from './block.ts';
import { type EthereumChain, Refusal } from './chain.ts';
import { execute, gasOf, Revert } from './gateway-contract.ts';
import { lower, NOBODY, wordsOf } from './words.ts';

/** One endpoint of an Ethereum-type chain, with the methods that the service calls. Errors have the codes and the words of go-ethereum. */

export type Call = Pick<LiedCall, 'method' | 'params'>;
/** Changes the answer of an endpoint to a call. */
export type Alter = (call: Call, said: Said) => Said;

/** The slot of an ERC-1967 proxy with the address of its implementation. */
const IMPLEMENTATION_SLOT = BigInt('0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc');

const NO_METHOD = -32_601;
const INVALID_PARAMETERS = -32_602;
/** A call that the contract reverted (geth). */
const REVERTED = 3;

/** The chain as an endpoint shows it. */
interface View {
  readonly chain: EthereumChain;
  readonly head: Block;
  /** Number of the newest final block. */
  readonly final: number;
  readonly swallows: boolean;
}

interface Request {
  readonly from?: string;
  readonly to: string;
  readonly data?: string;
}

interface Filter {
  readonly address: string | readonly string[];
  readonly topics: readonly (string | readonly string[] | null)[];
  readonly fromBlock: string;
  readonly toBlock: string;
}

export class EthereumNode {
  /** Number of blocks that it is behind. */
  lag = 0;
  /** Whether it accepts transactions and forwards none. */
  swallows = false;
  /** A fault. */
  alter: Alter | undefined;
  readonly #chain: EthereumChain;

  constructor(chain: EthereumChain) {
    this.#chain = chain;
  }

  /** Returns the body that a node answers to this HTTP body, a call or a batch, as JSON text. */
  answer(body: string): string {
    const calls: LiedCall | readonly LiedCall[] = JSON.parse(body);
    return JSON.stringify('method' in calls ? this.#reply(calls) : calls.map((call) => this.#reply(call)));
  }

  #reply({ id, method, params }: LiedCall): object {
    const said = this.#ask(method, params);
    return { jsonrpc: '2.0', id, ...(this.alter ? this.alter({ method, params }, said) : said) };
  }

  #ask(method: string, params: readonly unknown[]): Said {
    const chain = this.#chain;
    const head = chain.block(Math.max(0, chain.head.number - this.lag)) as Block;
    const final = this.lag === 0 ? chain.final : Math.max(0, Math.min(chain.final, head.number - chain.finalDistance));
    try {
      const perform = METHODS[method];
      if (!perform) throw new Refusal(`the method ${method} does not exist/is not available`, NO_METHOD);
      return { result: perform({ chain, head, final, swallows: this.swallows }, ...(params as never[])) };
    } catch (fault) {
      if (fault instanceof Revert) return { error: { code: REVERTED, message: fault.message, data: fault.data } };
      if (fault instanceof Refusal) return { error: { code: fault.code, message: fault.message } };
      throw fault;
    }
  }
}

const METHODS: Readonly<Record<string, (view: View, ...params: never[]) => unknown>> = {
  eth_chainId: ({ chain }) => hex(chain.chainId),
  eth_blockNumber: ({ head }) => hex(head.number),
  eth_gasPrice: ({ chain }) => hex(chain.baseFee + chain.tip),
  eth_maxPriorityFeePerGas: ({ chain }) => hex(chain.tip),
  eth_getBlockByNumber(view, at: string) {
    if (numberOf(view, at) > view.head.number) return null;
    const { number, hash, time, baseFee } = blockAt(view, at);
    return { number: hex(number), hash, timestamp: hex(time), baseFeePerGas: hex(baseFee) };
  },
  eth_getTransactionCount: (view, account: Hex, at: string) =>
    hex(
      at === 'pending' ? view.chain.pendingNonceOf(account, view.head) : view.chain.nonceOf(account, blockAt(view, at)),
    ),
  eth_getBalance: (view, account: Hex, at: string) => hex(view.chain.balanceOf(account, blockAt(view, at))),
  eth_getCode: ({ chain }, address: string) => chain.codes.get(lower(address)) ?? '0x',
  eth_getStorageAt(view, address: Hex, slot: string, at: string) {
    const gateway = BigInt(slot) === IMPLEMENTATION_SLOT ? view.chain.gatewayAt(address, blockAt(view, at)) : undefined;
    return `0x${wordsOf(gateway?.implementation ?? 0)}`;
  },
  eth_call: (view, request: Request, at: string) => run(view, request, blockAt(view, at)) ?? '0x',
  eth_estimateGas: (view, request: Request) =>
    hex(run(view, request, view.head) === undefined ? TRANSFER_GAS : gasOf(request.data as Hex)),
  eth_sendRawTransaction: ({ chain, swallows }, bytes: Hex) => (swallows ? keccak256(bytes) : chain.send(bytes)),
  eth_getTransactionByHash(view, hash: Hex) {
    const found = findReceipt(view, hash);
    const transaction = found?.receipt.transaction ?? view.chain.waiting.find((each) => each.hash === hash);
    return transaction ? { hash, from: transaction.from, to: transaction.to, ...placeOf(found?.block) } : null;
  },
  eth_getTransactionReceipt(view, transactionHash: Hex) {
    const found = findReceipt(view, transactionHash);
    if (found === undefined) return null;
    const { block, receipt } = found;
    const { succeeded, gasUsed, price } = receipt;
    const outcome = { status: hex(succeeded ? 1 : 0), gasUsed: hex(gasUsed), effectiveGasPrice: hex(price) };
    return { transactionHash, ...placeOf(block), ...outcome, logs: shownLogs(block, receipt) };
  },
  eth_getLogs(view, { address, topics, fromBlock, toBlock }: Filter) {
    const [from, to] = [numberOf(view, fromBlock), Math.min(numberOf(view, toBlock), view.head.number)];
    if (from > to) throw new Refusal('invalid block range params', INVALID_PARAMETERS);
    const contracts = [address].flat().map(lower);
    const isMeant = ({ address: by, topics: words }: PlacedLog) =>
      contracts.includes(by) &&
      topics.every((wanted, index) => wanted === null || [wanted].flat().includes(words[index] as string));
    const blocks = Array.from({ length: to - from + 1 }, (_, index) => view.chain.block(from + index) as Block);
    return blocks.flatMap((block) =>
      [...block.receipts.values()].flatMap((receipt) => shownLogs(block, receipt, isMeant)),
    );
  },
};

const hex = (value: number | bigint): Hex => `0x${value.toString(16)}`;

/** Returns the number that a block tag names, also one that the node does not have. */
function numberOf({ head, final }: View, at: string): number {
  if (at === 'latest') return head.number;
  return at === 'finalized' ? final : Number(at);
}

function blockAt(view: View, at: string): Block {
  const number = numberOf(view, at);
  const block = number > view.head.number ? undefined : view.chain.block(number);
  if (block === undefined) throw new Refusal('header not found');
  return block;
}

/** Returns the output of a call; undefined if no contract has that address. */
function run({ chain }: View, { from = NOBODY, to, data = '0x' }: Request, block: Block): Hex | undefined {
  const gateway = chain.gatewayAt(to as Hex, block);
  return gateway && execute(gateway, lower(from), data as Hex).output;
}

/** Returns the receipt of a transaction, with its block. */
function findReceipt({ chain, head }: View, hash: Hex) {
  for (let number = head.number; number >= 0; number -= 1) {
    const block = chain.block(number) as Block;
    const receipt = block.receipts.get(hash);
    if (receipt !== undefined) return { block, receipt };
  }
  return undefined;
}

/** Returns the place of a transaction; null in its fields if no block has it. */
const placeOf = (block: Block | undefined) => ({
  blockNumber: block ? hex(block.number) : null,
  blockHash: block?.hash ?? null,
});

const shownLogs = (block: Block, receipt: Receipt, isMeant: (log: PlacedLog) => boolean = () => true) =>
  receipt.logs
    .filter(isMeant)
    .map((log) => ({ ...log, ...placeOf(block), transactionHash: receipt.transaction.hash, removed: false }));
