import type { Random } from './random.ts';
import { type FaultSource, isSend, type RpcError, type RpcFault } from './rpc-fault.ts';

/** How bad the nodes are. */
export interface Severity {
  /** Probability that a request fails somehow. */
  readonly perRequest: number;
  /** Probability that one fails which sends, in a way that only sends can. */
  readonly perSend: number;
  /** How long a request hangs, in milliseconds. */
  readonly hangMs: number;
}

export const CALM: Severity = { perRequest: 0, perSend: 0, hangMs: 0 };

type Drawn = (random: Random, severity: Severity) => RpcFault;

const OF_REQUESTS: readonly (readonly [weight: number, fault: Drawn])[] = [
  [2, (random) => ({ is: 'refused', ms: 200 + random.below(3000) })],
  [4, () => ({ is: 'reset' })],
  [1, (_, { hangMs }) => ({ is: 'hang', ms: hangMs })],
  [4, () => ({ is: 'http', status: 429 })],
  [4, (random) => ({ is: 'http', status: random.pick([500, 502, 503]) })],
  [3, () => ({ is: 'malformed' })],
  [6, () => ({ is: 'out-of-order' })],
  [4, () => ({ is: 'in-part' })],
  [4, () => ({ is: 'wrong-chain' })],
  [8, (random) => ({ is: 'lagging', blocks: 1 + random.below(6) })],
  [4, () => ({ is: 'answer-lost' })],
  [6, (random) => ({ is: 'echo', in: random.pick(['page', 'answers']) })],
];

const WORDS = {
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

const OF_SENDS: readonly (readonly [weight: number, fault: (random: Random, chain: Chain) => RpcFault])[] = [
  [3, (random, chain) => ({ is: 'send-refused', error: random.pick<RpcError>(WORDS[chain]) })],
  [3, () => ({ is: 'answer-lost' })],
  [3, () => ({ is: 'already-known' })],
  [1, () => ({ is: 'dropped' })],
  [2, () => ({ is: 'echo', in: 'sends' })],
];

type Chain = keyof typeof WORDS;

/** Faults by chance, as often as the severity of the moment says. */
export function randomFaults(chain: Chain, random: Random, severity: () => Severity): FaultSource {
  return (calls) => {
    const now = severity();
    if (calls.some(isSend) && random.chance(now.perSend)) return random.weighted(OF_SENDS)(random, chain);
    return random.chance(now.perRequest) ? random.weighted(OF_REQUESTS)(random, now) : undefined;
  };
}
