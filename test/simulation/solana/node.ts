import { METHODS } from '../../../tools/localnet/solana/rpc/methods.ts';
import {
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  PARSE_ERROR,
  RpcError,
} from '../../../tools/localnet/solana/rpc/rpc-error.ts';
import type { Method } from '../../../tools/localnet/solana/rpc/solana-node.ts';
import type { LiedCall, Said } from '../../lies/lie.ts';
import type { SolanaChain } from './chain.ts';

/** One endpoint of the cluster. Its methods are those of the localnet's node, except those that no validator has or that draw random bytes. */

export type Call = Pick<LiedCall, 'method' | 'params'>;
/** Changes the answer of an endpoint to a call. */
export type Alter = (call: Call, said: Said) => Said;

const OFFERED: ReadonlyMap<string, Method> = new Map(
  [...METHODS].filter(([name]) => !name.startsWith('localnet_') && name !== 'requestAirdrop'),
);

export class SolanaNode {
  /** Number of blocks that it is behind. */
  lag = 0;
  /** Whether it accepts transactions and forwards none. */
  swallows = false;
  /** A fault, which sees an answer as a client does. */
  alter: Alter | undefined;
  readonly #chain: SolanaChain;

  constructor(chain: SolanaChain) {
    this.#chain = chain;
  }

  /** Returns the body that a node answers to this HTTP body, a call or a batch, as JSON text. */
  answer(body: string): string {
    const calls = parseJson(body);
    if (calls === undefined) return toJson(replyOf(null, errorOf(PARSE_ERROR, 'Parse error')));
    return toJson(Array.isArray(calls) ? calls.map((call) => this.#reply(call)) : this.#reply(calls));
  }

  #reply(call: unknown): object {
    const { jsonrpc, id = null, method, params = [] } = Object(call) as Partial<LiedCall> & { jsonrpc?: unknown };
    if (jsonrpc !== '2.0' || typeof method !== 'string' || !Array.isArray(params))
      return replyOf(null, errorOf(INVALID_REQUEST, 'Invalid request'));
    const said = this.#ask({ method, params });
    return replyOf(id, this.alter ? this.alter({ method, params }, JSON.parse(toJson(said))) : said);
  }

  #ask({ method, params }: Call): Said {
    const perform = OFFERED.get(method);
    if (perform === undefined) return errorOf(METHOD_NOT_FOUND, 'Method not found');
    const view = this.#chain.viewFrom(this.lag);
    const ledger = this.swallows ? { ...view, waiting: new Map() } : view;
    try {
      const { genesisHash } = this.#chain;
      const node = { ledger, genesisHash, faults: [], requests: { http: 0, calls: {} }, setSlotMs() {} };
      return { result: perform(node, params) };
    } catch (error) {
      if (error instanceof RpcError) return errorOf(error.code, error.message, error.data);
      throw error;
    }
  }
}

const replyOf = (id: unknown, said: Said) => ({ jsonrpc: '2.0', ...said, id });

const errorOf = (code: number, message: string, data?: unknown): Said => ({
  error: { code, message, ...(data !== undefined && { data }) },
});

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** Numbers of 64 bits are JSON numbers of any length. */
function toJson(value: unknown): string {
  const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };
  return JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? rawJSON(String(each)) : each));
}
