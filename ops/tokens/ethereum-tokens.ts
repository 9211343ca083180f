import { isUnknownToken, readToken, slotData, tokenData } from '../../src/chain/ethereum/gateway.ts';
import { RpcFault } from '../../src/chain/port.ts';
import type { RpcAnswer } from '../../src/chain/rpc-answer.ts';
import { issuerData, readIssuer } from './ethereum-abi.ts';
import { callAt, dataOf, decode, type EthereumSource, readFinalBlock } from './ethereum-source.ts';
import type { ScannedToken } from './token.ts';

/** Maximum number of tokens that are read at one block. */
export const PAGE_TOKENS = 500;

export interface ReadTokens {
  readonly tokens: readonly ScannedToken[];
  /** Number of ids that name no token at the block, because the token was burned. */
  readonly burned: number;
  /** The block that shows both. */
  readonly block: number;
}

const NOBODY = /^0x0{40}$/;

/**
 * Reads the tokens with these ids at the newest final block, which must not be older than `atLeast`. Throws RpcFault if an answer
 * is missing or contradicts the others.
 */
export async function readTokens(source: EthereumSource, ids: readonly bigint[], atLeast: number): Promise<ReadTokens> {
  const block = await readFinalBlock(source, atLeast);
  const calls = ids.flatMap((id) => [tokenData(id), slotData(id), issuerData(id)]);
  const answers = await source.endpoints.send(calls.map((data) => callAt(source, data, block)));
  const read = ids.map((id, index) => tokenIn(source, id, answers.slice(3 * index, 3 * index + 3), block));
  const tokens = read.flatMap((token) => token ?? []);
  return { tokens, burned: ids.length - tokens.length, block };
}

/** Returns the token in the answers, or undefined if the contract knows no such token. */
function tokenIn(
  source: EthereumSource,
  id: bigint,
  [token, slot, issuer]: readonly RpcAnswer[],
  block: number,
): ScannedToken | undefined {
  if (isUnknownToken(token) && isUnknownToken(slot)) return undefined;
  const [data, slotAnswer, issuerAnswer] = [token, slot, issuer].map((answer) => dataOf(source, answer)) as [
    `0x${string}`,
    `0x${string}`,
    `0x${string}`,
  ];
  const found = decode(() => ({ ...readToken(id, data, slotAnswer), issuer: readIssuer(issuerAnswer) }));
  if (found.slot !== source.slot) throw new RpcFault(`token ${id} belongs to another gatekeeper network`);
  if (found.state === 'NONE' || NOBODY.test(found.owner) || NOBODY.test(found.issuer))
    throw new RpcFault(`token ${id} has no state, owner or gatekeeper`);
  const { owner: wallet, state, expiry } = found;
  return { network: source.network, wallet, state, expiry, issuer: found.issuer, token: String(id), block };
}
