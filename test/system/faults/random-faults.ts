import { isSend, type RpcError } from '../json-rpc.ts';
import type { Random } from './random.ts';
import type { FaultSource, RpcFault } from './rpc-fault.ts';

/** How often the nodes fail. */
export interface Severity {
  /** The probability of a fault for a request. */
  readonly perRequest: number;
  /** The probability of a send fault for a request that sends a transaction. */
  readonly perSend: number;
  /** The duration of a hanging request. */
  readonly hangMs: number;
  /** The share of episodes in which one endpoint of a node lies. With undefined, the run has no phases of lies. */
  readonly lying?: number | undefined;
}

export const NO_FAULTS: Severity = { perRequest: 0, perSend: 0, hangMs: 0 };

type MakeFault = (random: Random, severity: Severity) => RpcFault;

const REQUEST_FAULTS: readonly (readonly [weight: number, fault: MakeFault])[] = [
  [2, (random) => ({ type: 'offline', ms: 200 + random.below(3000) })],
  [4, () => ({ type: 'reset' })],
  [1, (_, { hangMs }) => ({ type: 'hang', ms: hangMs })],
  [4, () => ({ type: 'http', status: 429 })],
  [4, (random) => ({ type: 'http', status: random.pick([500, 502, 503]) })],
  [3, () => ({ type: 'malformed' })],
  [6, () => ({ type: 'out-of-order' })],
  [4, () => ({ type: 'incomplete' })],
  [4, () => ({ type: 'wrong-chain' })],
  [8, (random) => ({ type: 'lagging', blocks: 1 + random.below(6) })],
  [4, () => ({ type: 'answer-lost' })],
  [6, (random) => ({ type: 'echo', in: random.pick(['page', 'answers']) })],
];

const SEND_ERRORS = {
  ethereum: [
    { code: -32000, message: 'nonce too low' },
    { code: -32000, message: 'replacement transaction underpriced' },
    { code: -32000, message: 'insufficient funds for gas * price + value' },
  ],
  solana: [
    { code: -32002, message: 'Blockhash not found', data: { err: 'BlockhashNotFound', logs: [] } },
    { code: -32002, message: 'insufficient funds', data: { err: 'InsufficientFundsForFee', logs: [] } },
  ],
} as const satisfies Record<string, readonly RpcError[]>;

const SEND_FAULTS: readonly (readonly [weight: number, fault: (random: Random, chain: Chain) => RpcFault])[] = [
  [3, (random, chain) => ({ type: 'send-refused', error: random.pick<RpcError>(SEND_ERRORS[chain]) })],
  [3, () => ({ type: 'answer-lost' })],
  [3, () => ({ type: 'already-known' })],
  [1, () => ({ type: 'dropped' })],
  [2, () => ({ type: 'echo', in: 'sends' })],
];

type Chain = keyof typeof SEND_ERRORS;

/** Returns a source of random faults. It reads the severity at each request. */
export function randomFaults(chain: Chain, random: Random, severity: () => Severity): FaultSource {
  return (calls) => {
    const now = severity();
    if (calls.some(isSend) && random.chance(now.perSend)) return random.weighted(SEND_FAULTS)(random, chain);
    return random.chance(now.perRequest) ? random.weighted(REQUEST_FAULTS)(random, now) : undefined;
  };
}
