import {
  decodeFunctionData,
  decodeFunctionResult,
  encodeAbiParameters,
  encodeErrorResult,
  encodeEventTopics,
  encodeFunctionResult,
  type Hex,
  numberToHex,
  parseAbi,
  zeroAddress,
} from 'viem';
import { GATEWAY_ABI } from '../../src/chain/ethereum/abi.ts';
import { type Lie, type LiedCall, type Said, say } from './lie.ts';

/** The facts that a liar on an Ethereum-type network uses. */
export interface EthereumScene {
  readonly gateway: Hex;
  readonly wallet: Hex;
  readonly slot: bigint;
  /** The expiry that the pass will get, in Unix seconds. */
  readonly expiry: number;
  /** A token of another wallet in the same gatekeeper network. */
  readonly neighborToken: bigint;
  /** The newest block. */
  readonly head: { readonly number: Hex; readonly hash: Hex };
  /** The blocks in which the liar claims to have seen transactions, by hash. The liar repeats its first claim. */
  readonly claimed: Map<unknown, EthereumScene['head']>;
}

type EthereumLie = Lie<EthereumScene>;

/** Returns a lie about the answers to one method. */
const about = (
  name: string,
  method: string,
  answer: (truth: unknown, call: LiedCall, scene: EthereumScene) => Said | undefined,
): EthereumLie => ({
  name,
  answer: (call, truth, scene) => (call.method === method ? answer(truth, call, scene) : undefined),
});

const number = (value: unknown) => BigInt(value as string);
const addTo = (value: unknown, more: bigint): Hex => {
  const sum = number(value) + more;
  return numberToHex(sum > 0n ? sum : 0n);
};

const EVENTS = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)',
  'event SlotChanged(uint256 indexed tokenId, uint256 indexed oldSlot, uint256 indexed newSlot)',
  'event Freeze(uint256 indexed tokenId)',
  'event Unfreeze(uint256 indexed tokenId)',
  'event Revoke(uint256 indexed tokenId)',
  'event Expiration(uint256 indexed tokenId, uint256 timestamp)',
]);

function logsOf({ gateway, wallet, slot, expiry, neighborToken: tokenId }: EthereumScene) {
  const log = (topics: unknown, data: Hex = '0x') => ({ address: gateway, topics, data });
  const topics = (eventName: 'Freeze' | 'Unfreeze' | 'Revoke' | 'Expiration') =>
    encodeEventTopics({ abi: EVENTS, eventName, args: { tokenId } });
  const minted = { from: zeroAddress, to: wallet, tokenId };
  const placed = { tokenId, oldSlot: 0n, newSlot: slot };
  return [
    log(encodeEventTopics({ abi: EVENTS, eventName: 'Transfer', args: minted })),
    log(encodeEventTopics({ abi: EVENTS, eventName: 'SlotChanged', args: placed })),
    log(topics('Expiration'), encodeAbiParameters([{ type: 'uint256' }], [BigInt(expiry)])),
    ...(['Freeze', 'Unfreeze', 'Revoke'] as const).map((name) => log(topics(name))),
  ];
}

/** Returns an invented receipt, in the block that was the newest one when the liar was first asked. */
function fakeReceipt({ params: [hash] }: LiedCall, scene: EthereumScene, status: Hex, logs: readonly unknown[]) {
  const place = scene.claimed.get(hash) ?? { ...scene.head };
  scene.claimed.set(hash, place);
  const prices = { gasUsed: '0x493e0', cumulativeGasUsed: '0x493e0', effectiveGasPrice: '0x3b9aca00' };
  return { transactionHash: hash, blockNumber: place.number, blockHash: place.hash, status, logs, ...prices };
}

/** Returns a decoded read of the contract, or undefined for a simulation, which names the gatekeeper in `from`. */
function readOf({ method, params: [request] }: LiedCall) {
  const { from, data } = Object(request) as { from?: string; data?: Hex };
  if (method !== 'eth_call' || from !== undefined || data === undefined) return undefined;
  try {
    return decodeFunctionData({ abi: GATEWAY_ABI, data });
  } catch {
    return undefined;
  }
}

const IDS = { abi: GATEWAY_ABI, functionName: 'getTokenIdsByOwnerAndNetwork' } as const;
const TOKEN = { abi: GATEWAY_ABI, functionName: 'getToken' } as const;
const sayIds = (ids: readonly bigint[]) => say(encodeFunctionResult({ ...IDS, result: ids }));

const tokensHidden: EthereumLie = {
  name: 'tokens: none',
  answer: (call) => (readOf(call)?.functionName === IDS.functionName ? sayIds([]) : undefined),
};

/** Returns a lie that shows the neighbor's token as the wallet's, in addition to the wallet's tokens or instead of them. */
const neighborShown = (name: string, keepsOwn: boolean): EthereumLie => ({
  name,
  needsPass: true,
  answer(call, truth, { wallet, neighborToken }) {
    const read = readOf(call);
    if (typeof truth !== 'string') return undefined;
    if (read?.functionName === IDS.functionName && read.args[0].toLowerCase() === wallet.toLowerCase()) {
      const own = keepsOwn ? decodeFunctionResult({ ...IDS, data: truth as Hex }) : [];
      return sayIds([...own, neighborToken]);
    }
    if (read?.functionName !== TOKEN.functionName || read.args[0] !== neighborToken) return undefined;
    const [, ...rest] = decodeFunctionResult({ ...TOKEN, data: truth as Hex });
    return say(encodeFunctionResult({ ...TOKEN, result: [wallet, ...rest] }));
  },
});

type Token = readonly [owner: Hex, state: number, identity: string, expiration: bigint, bitmask: bigint];

const tokenShown = (name: string, change: (token: Token) => Token): EthereumLie => ({
  name,
  answer(call, truth) {
    if (readOf(call)?.functionName !== TOKEN.functionName || typeof truth !== 'string') return undefined;
    return say(
      encodeFunctionResult({ ...TOKEN, result: change(decodeFunctionResult({ ...TOKEN, data: truth as Hex })) }),
    );
  },
});

const stateShown = (name: string, state: number): EthereumLie =>
  tokenShown(name, ([owner, , ...rest]) => [owner, state, ...rest]);

const nonceShown = (name: string, at: 'latest' | 'pending' | 'number', change: bigint): EthereumLie =>
  about(name, 'eth_getTransactionCount', (truth, { params: [, tag] }) => {
    const asked = tag === 'latest' || tag === 'pending' ? tag : 'number';
    return asked === at && typeof truth === 'string' ? say(addTo(truth, change)) : undefined;
  });

const blockShown = (
  name: string,
  change: (block: Record<string, string>) => object,
  isMeant: (at: unknown) => boolean = () => true,
) =>
  about(name, 'eth_getBlockByNumber', (truth, { params: [at] }) =>
    truth && isMeant(at) ? say({ ...truth, ...change(truth as Record<string, string>) }) : undefined,
  );

const isNewest = (at: unknown) => at === 'latest' || at === 'pending';

/** Returns a lie that moves the newest block by this number of blocks and seconds. */
const newestShown = (name: string, blocks: bigint, seconds: bigint): EthereumLie => {
  const moved = blockShown(
    name,
    (block) => ({ number: addTo(block.number, blocks), timestamp: addTo(block.timestamp, seconds) }),
    isNewest,
  );
  const counted = about(name, 'eth_blockNumber', (truth) => say(addTo(truth, blocks)));
  return { name, answer: (...asked) => moved.answer?.(...asked) ?? counted.answer?.(...asked) };
};

const finalityShown = (name: string, at: string): EthereumLie => ({
  name,
  ask: (call) =>
    call.method === 'eth_getBlockByNumber' && call.params[0] === 'finalized'
      ? { ...call, params: [at, ...call.params.slice(1)] }
      : call,
});

const TIMES = 1000n;
const AT_LEAST = 100_000_000_000n;
/** Returns a thousand times the price. The minimum makes the price harmful on networks where gas costs almost nothing. */
const raise = (truth: unknown): Hex => {
  const price = number(truth) * TIMES;
  return numberToHex(price > AT_LEAST ? price : AT_LEAST);
};

const isSimulation = ({ method, params: [request] }: LiedCall) =>
  method === 'eth_call' && (Object(request) as { from?: string }).from !== undefined;
const REVERT = encodeErrorResult({
  abi: GATEWAY_ABI,
  errorName: 'GatewayToken__TokenInvalidStateForOperation',
  args: [1n, 2, 0],
});
const REFUSAL = encodeErrorResult({
  abi: [{ type: 'error', name: 'Error', inputs: [{ name: 'text', type: 'string' }] }],
  errorName: 'Error',
  args: ['ERC3525: mint to the zero address'],
});
const reverting = (name: string, data: Hex): EthereumLie => ({
  name,
  answer: (call) => (isSimulation(call) ? { error: { code: 3, message: 'execution reverted', data } } : undefined),
});

const DAY = 86_400n;

export const ETHEREUM_LIES: readonly EthereumLie[] = [
  about('receipts: none', 'eth_getTransactionReceipt', () => say(null)),
  {
    ...about('receipts: success', 'eth_getTransactionReceipt', (_, call, scene) =>
      say(fakeReceipt(call, scene, '0x1', logsOf(scene))),
    ),
    needsPass: true,
  },
  {
    ...about('receipts: failure', 'eth_getTransactionReceipt', (truth, call, scene) =>
      say(truth ? { ...truth, status: '0x0', logs: [] } : fakeReceipt(call, scene, '0x0', [])),
    ),
    needsPass: true,
  },
  about('transactions: none', 'eth_getTransactionByHash', () => say(null)),
  tokensHidden,
  neighborShown("tokens: another wallet's", false),
  neighborShown("tokens: one more, another wallet's", true),
  tokenShown('tokens: another expiry', ([owner, state, identity, expiration, mask]) => {
    return [owner, state, identity, expiration + DAY, mask];
  }),
  stateShown('tokens: active', 0),
  stateShown('tokens: frozen', 1),
  stateShown('tokens: revoked', 2),
  nonceShown('latest nonce: too high', 'latest', 3n),
  nonceShown('latest nonce: too low', 'latest', -3n),
  nonceShown('pending nonce: too high', 'pending', 3n),
  nonceShown('pending nonce: too low', 'pending', -3n),
  nonceShown('final nonce: too high', 'number', 3n),
  nonceShown('final nonce: too low', 'number', -3n),
  blockShown('blocks: other hashes', ({ hash = '' }) => ({ hash: `0x${[...hash.slice(2)].reverse().join('')}` })),
  newestShown('newest block: older', -40n, -480n),
  newestShown('newest block: newer', 1000n, 12_000n),
  newestShown('clock: slow', 0n, -DAY),
  newestShown('clock: fast', 0n, DAY),
  finalityShown('finality: ahead', 'latest'),
  finalityShown('finality: behind', 'earliest'),
  about('gas price: too high', 'eth_gasPrice', (truth) => say(raise(truth))),
  blockShown('base fee: too high', ({ baseFeePerGas }) => ({ baseFeePerGas: raise(baseFeePerGas) })),
  blockShown('base fee: above every cap', () => ({ baseFeePerGas: numberToHex(10n ** 15n) })),
  about('tip: too high', 'eth_maxPriorityFeePerGas', (truth) => say(raise(truth))),
  reverting('simulations: the token has another state', REVERT),
  reverting('simulations: never possible', REFUSAL),
  { name: 'simulations: success', answer: (call) => (isSimulation(call) ? say('0x') : undefined) },
  about('receipts: malformed', 'eth_getTransactionReceipt', (truth) => say(truth && { ...truth, logs: [null] })),
  about('estimates: too high', 'eth_estimateGas', () => say(numberToHex(7_000_000))),
  { name: 'sends: swallowed', swallowsSends: true },
  {
    name: 'sends: refused',
    swallowsSends: true,
    answer: ({ method }) =>
      method === 'eth_sendRawTransaction' ? { error: { code: -32_000, message: 'nonce too low' } } : undefined,
  },
];
