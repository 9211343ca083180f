import { vi } from 'vitest';
import {
  type BroadcastResult,
  type ChainPort,
  type FinalNonce,
  type InclusionStatus,
  type Lifetime,
  type PrepareResult,
  pairAll,
  type Question,
  type Reading,
  RpcFault,
  type SenderAccount,
} from '../../../src/chain/port.ts';
import { type Witness, withSecondOpinion } from '../../../src/chain/second-opinion.ts';
import type { OnChain } from '../../../src/pass/pass.ts';

/** Endpoints of a network with given answers, and the port over them. */

export const DISAGREE = 'the endpoints of the network disagree about it';

/** The answers of an endpoint. It does not answer a question whose field is undefined. */
export interface Answers {
  readonly final?: OnChain | undefined;
  readonly reading?: Reading;
  readonly result?: PrepareResult;
  readonly status?: InclusionStatus;
  readonly nonce?: FinalNonce | 'no-final-block';
  readonly account?: SenderAccount;
  readonly sends?: BroadcastResult;
  readonly cooling?: boolean;
  readonly hanging?: boolean;
  readonly behind?: boolean;
  readonly lifetime?: Lifetime;
  /** The last heights of the blockhashes that it knows. */
  readonly knows?: Readonly<Record<string, number>>;
}

function answer<T>(value: T | undefined): T {
  if (value === undefined) throw new RpcFault('no connection');
  return value;
}

export function anEndpoint({
  final,
  reading,
  result,
  status,
  nonce,
  account,
  sends,
  cooling = false,
  hanging = false,
  behind,
  lifetime,
  knows,
}: Answers): Witness {
  return {
    isCooling: () => cooling,
    isHanging: () => hanging,
    readFinal: vi.fn(async (questions: readonly Question[]) => {
      const shown: Reading = behind ? { type: 'unreadable', why: 'behind' } : { type: 'read', onChain: answer(final) };
      return pairAll(questions, shown);
    }),
    read: vi.fn(async (questions: readonly Question[]) => pairAll(questions, answer(reading))),
    prepare: vi.fn(async (requests: readonly unknown[]) => ({
      results: pairAll(requests, answer(result)),
      ...(lifetime && { lifetime }),
      ...(account?.nonces && { nonces: account.nonces }),
    })),
    lastHeightOf: vi.fn(async (blockhash: string) => answer(knows)[blockhash]),
    track: vi.fn(async (all: readonly unknown[]) => pairAll(all, answer(status))),
    broadcast: vi.fn(async (all: readonly unknown[]) => pairAll(all, answer(sends))),
    account: vi.fn(async () => answer(account)),
    finalNonce: async () => {
      const found = answer(nonce);
      return found === 'no-final-block' ? undefined : found;
    },
  } as Witness;
}

/** Returns the port over these endpoints. The failover gives the answers of the first one. */
export function portOver(...all: Answers[]): { port: ChainPort; endpoints: Witness[] } {
  const endpoints = all.map(anEndpoint);
  return { endpoints, port: withSecondOpinion({ ...(endpoints[0] as unknown as ChainPort) }, endpoints) };
}
