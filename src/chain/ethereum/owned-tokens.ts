import type { Hex } from 'viem';
import type { Step } from '../../pass/step.ts';
import type { Owned } from '../intent.ts';
import { type RpcAnswer, resultOf } from '../json-rpc.ts';
import type { Finding } from '../port.ts';
import type { Ethereum } from './adapter.ts';
import * as rpc from './calls.ts';
import { type EthereumToken, readToken, readTokenIds, tokenData, tokenIdsData } from './gateway.ts';
import { refusalOf } from './refusal.ts';

/** A step whose gatekeeper network has a slot in the contract. */
export interface Placed {
  readonly step: Step;
  readonly slot: bigint;
}

const UNREADABLE: Finding = { is: 'not-now', why: 'the answer of the contract cannot be read', keeps: 'step' };
const NO_CONTRACT: Finding = { is: 'not-now', why: 'no contract at the configured address', keeps: 'signer' };

/** The tokens of every step's wallet as of that block, by step id: their ids in one batch, the tokens in another. */
export async function readTokens(
  { rpc: send, network }: Ethereum,
  placed: readonly Placed[],
  at: rpc.BlockTag,
): Promise<Map<string, Owned<EthereumToken>>> {
  const call = (data: Hex) => rpc.call({ to: network.gateway, data }, at);
  const idsOf = await send(placed.map(({ step, slot }) => call(tokenIdsData(step.key.wallet, slot))));
  const ids = idsOf.map(readIds);
  const named = ids.flatMap((each) => ('is' in each ? [] : each.ids));
  const answers = await send(named.map((id) => call(tokenData(id))));
  const tokens = new Map(named.map((id, index) => [id, readOne(id, answers[index])]));
  return new Map(placed.map(({ step }, index) => [step.id, owned(ids[index], tokens)]));
}

function owned(
  ids: ReturnType<typeof readIds> | undefined,
  tokens: ReadonlyMap<bigint, EthereumToken | undefined>,
): Owned<EthereumToken> {
  if (ids === undefined || 'is' in ids) return ids ?? UNREADABLE;
  const read = ids.ids.flatMap((id) => tokens.get(id) ?? []);
  // One may have been burned between the two reads: the next look will tell.
  return read.length === ids.ids.length ? { tokens: read } : UNREADABLE;
}

function readIds(answer: RpcAnswer): { ids: readonly bigint[] } | Finding {
  if ('error' in answer) return refusalOf(answer);
  // An address without code succeeds with no data.
  if (answer.result === '0x') return NO_CONTRACT;
  const ids = readable(() => readTokenIds(answer.result as Hex));
  return ids === undefined ? UNREADABLE : { ids };
}

function readOne(id: bigint, answer: RpcAnswer | undefined): EthereumToken | undefined {
  if (answer === undefined || 'error' in answer) return undefined;
  return readable(() => readToken(id, answer.result as Hex));
}

/** Undefined for data that is not what the contract answers: one odd answer must not stop the others. */
function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** The newest block that cannot leave the chain, as a block tag. */
export async function finalBlock({ rpc: send, network: { final } }: Ethereum): Promise<rpc.BlockTag> {
  if ('tag' in final) return final.tag;
  const [head] = await send([rpc.blockNumber]);
  return rpc.hex(Math.max(0, Number(resultOf<Hex>(head)) - final.depth));
}
