import type { Hex } from 'viem';
import type { PassKey } from '../../pass/pass.ts';
import type { RpcAnswer } from '../json-rpc.ts';
import type { Owned } from '../plan-step.ts';
import type { PrepareResult } from '../port.ts';
import type { Ethereum } from './adapter.ts';
import * as rpc from './calls.ts';
import { type EthereumToken, readToken, readTokenIds, slotData, tokenData, tokenIdsData } from './gateway.ts';
import { resultOfError } from './refusal.ts';

/** A wallet, and the slot of a gatekeeper network that is one. */
export interface Holder {
  readonly wallet: string;
  readonly slot: bigint;
}

/** Undefined where the gatekeeper network has no slot in the contract. */
export function holderOf({ slot }: Ethereum, { gatekeeperNetwork, wallet }: PassKey): Holder | undefined {
  const number = slot(gatekeeperNetwork);
  return number === undefined ? undefined : { wallet, slot: number };
}

const UNREADABLE: PrepareResult = { type: 'not-now', why: 'the answer of the contract cannot be read', blocks: 'step' };
const NO_CONTRACT: PrepareResult = { type: 'not-now', why: 'no contract at the configured address', blocks: 'signer' };

export interface Holdings {
  /** Number of the block that shows them; undefined: the node has no such block. */
  readonly asOf: number | undefined;
  readonly of: ReadonlyMap<Holder, Owned<EthereumToken>>;
}

/**
 * The tokens of every holder as of one block: their ids in one batch, the tokens in another. A tag is asked for its block
 * first, and then only that number: by a tag, each call of a batch may be answered as of another block, by another node
 * or a moment later. A node that does not have the block says so with an error.
 */
export async function readTokens(
  { rpc: send, network }: Ethereum,
  holders: readonly Holder[],
  at: rpc.BlockTag,
): Promise<Holdings> {
  const asOf = at.startsWith('0x') ? Number(at) : rpc.numberOf((await send([rpc.block(at)]))[0]);
  if (asOf === undefined) return { asOf, of: new Map() };
  const call = (data: Hex) => rpc.call({ to: network.gateway, data }, rpc.hex(asOf));
  const ids = (await send(holders.map(({ wallet, slot }) => call(tokenIdsData(wallet, slot))))).map(readIds);
  const named = ids.flatMap((each) => ('type' in each ? [] : each.ids));
  const answers = await send(named.flatMap((id) => [call(tokenData(id)), call(slotData(id))]));
  const tokens = new Map(named.map((id, index) => [id, readOne(id, answers.slice(2 * index, 2 * index + 2))]));
  return {
    asOf,
    of: new Map(holders.map((holder, index) => [holder, ownedTokensOf(holder, ids[index], tokens, asOf)])),
  };
}

function ownedTokensOf(
  { wallet, slot }: Holder,
  ids: ReturnType<typeof readIds> | undefined,
  tokens: ReadonlyMap<bigint, EthereumToken | undefined>,
  asOf: number,
): Owned<EthereumToken> {
  if (ids === undefined || 'type' in ids) return ids ?? UNREADABLE;
  const read = ids.ids
    .flatMap((id) => tokens.get(id) ?? [])
    .filter((token) => token.slot === slot && token.owner.toLowerCase() === wallet.toLowerCase());
  // One may have been burned between the two reads, or a node names somebody else's to have us freeze or revoke that one.
  return read.length === ids.ids.length ? { tokens: read, asOf } : UNREADABLE;
}

function readIds(answer: RpcAnswer): { ids: readonly bigint[] } | PrepareResult {
  if ('error' in answer) return resultOfError(answer);
  // An address without code succeeds with no data.
  if (answer.result === '0x') return NO_CONTRACT;
  const ids = tryRead(() => readTokenIds(answer.result as Hex));
  return ids === undefined ? UNREADABLE : { ids };
}

function readOne(id: bigint, answers: readonly RpcAnswer[]): EthereumToken | undefined {
  const [token, slot] = answers.map((answer) => ('result' in answer ? (answer.result as Hex) : '0x'));
  return tryRead(() => readToken(id, token ?? '0x', slot ?? '0x'));
}

/** Undefined for data that is not what the contract answers: one odd answer must not stop the others. */
function tryRead<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** The newest block that cannot leave the chain, as a block tag, when the newest of all is `head`. */
export function finalBlock({ network: { final } }: Ethereum, head: number): rpc.BlockTag {
  return 'tag' in final ? final.tag : rpc.hex(Math.max(0, head - final.depth));
}
