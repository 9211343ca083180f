import { base58 } from '@scure/base';
import { type Address, getBase64Encoder } from '@solana/kit';
import { isOld } from '../../src/chain/block-age.ts';
import type { JsonRpc } from '../../src/chain/json-rpc.ts';
import type { RpcCall } from '../../src/chain/json-rpc-batch.ts';
import { RpcFault } from '../../src/chain/port.ts';
import { type RpcAnswer, resultOf } from '../../src/chain/rpc-answer.ts';
import { readToken, TOKEN_SIZE, tokenAccount } from '../../src/chain/solana/gateway.ts';
import { identityOf, readAccounts, solanaRpc } from '../../src/chain/solana/rpc.ts';
import type { SolanaNetwork } from '../../src/network/network.ts';
import { parseSolanaAddress } from '../../src/network/wallet.ts';
import { Failure } from '../../terminal/failure.ts';
import { refusesQuery } from '../nodes/node-error.ts';
import type { Retried } from './retry.ts';
import type { ScannedToken } from './token.ts';

/** The gateway program on one cluster, and a gatekeeper network. */
export interface SolanaSource extends Retried {
  readonly network: SolanaNetwork;
  readonly gatekeeperNetwork: string;
  readonly send: JsonRpc;
  /** Sends queries for one part of many. A refused query for all tokens must not reduce the size of these requests. */
  readonly sendParts: JsonRpc;
}

/** A part of the tokens of a gatekeeper network. The program's accounts are filtered by their bytes. */
export interface Part {
  readonly gatekeeper: string | undefined;
  /** The first byte of the wallet. */
  readonly walletByte: number | undefined;
}

export interface PartTokens {
  readonly tokens: readonly ScannedToken[];
  readonly slot: number;
}

const WALLET_OFFSET = 2;
const NETWORK_OFFSET = 35;
const GATEKEEPER_OFFSET = 67;

/** Throws RpcFault if the node may be behind its chain, and Failure if the program does not exist. */
export async function checkProgram({ network, send }: SolanaSource): Promise<void> {
  const { newest } = identityOf(network);
  const [clock] = newest === undefined ? [] : await send([newest.call]);
  const { time = 0 } = newest?.blockOf(resultOf(clock)) ?? {};
  const age = Math.round(Date.now() / 1000 - time);
  if (isOld(time, Date.now())) throw new RpcFault(`the newest block is ${age} seconds old`);
  const program = network.program as Address;
  const { accounts } = await readAccounts(solanaRpc(send), [program], 'finalized');
  if (!accounts.get(program)?.executable) throw new Failure(`${network.network}: no program exists at ${program}`);
}

/**
 * Reads the tokens of these parts, each at a final slot of at least `atLeast`. Returns undefined if the node refuses a query.
 * Throws RpcFault if it does not answer, or if its answer is not that of the query.
 */
export async function readParts(
  source: SolanaSource,
  parts: readonly Part[],
  atLeast: number,
): Promise<PartTokens[] | undefined> {
  const send = parts.length > 1 ? source.sendParts : source.send;
  const answers = await send(parts.map((part) => callFor(source, part, atLeast))).catch((fault) => {
    if (fault instanceof RpcFault && refusesQuery(fault)) return undefined;
    throw fault;
  });
  if (answers === undefined) return undefined;
  const errors = answers.flatMap((answer) => ('error' in answer ? answer.error : []));
  if (errors.some(({ code }) => code === SLOT_NOT_REACHED))
    throw new RpcFault(`the node is behind the slot ${atLeast}`);
  if (errors.length > 0) return undefined;
  return parts.map((part, index) => tokensIn(source, part, answers[index], atLeast));
}

/** Agave's code for a node that is behind `minContextSlot`. */
const SLOT_NOT_REACHED = -32_016;

function callFor({ network, gatekeeperNetwork }: SolanaSource, part: Part, atLeast: number): RpcCall {
  const filters = [
    memcmp(NETWORK_OFFSET, gatekeeperNetwork),
    ...(part.gatekeeper === undefined ? [] : [memcmp(GATEKEEPER_OFFSET, part.gatekeeper)]),
    ...(part.walletByte === undefined ? [] : [memcmp(WALLET_OFFSET, base58.encode(Uint8Array.of(part.walletByte)))]),
  ];
  const form = { commitment: 'finalized', encoding: 'base64', dataSlice: { offset: 0, length: Number(TOKEN_SIZE) } };
  return {
    method: 'getProgramAccounts',
    params: [network.program, { ...form, filters, withContext: true, ...(atLeast > 0 && { minContextSlot: atLeast }) }],
  };
}

const memcmp = (offset: number, bytes: string) => ({ memcmp: { offset, bytes, encoding: 'base58' } });

function tokensIn(source: SolanaSource, part: Part, answer: RpcAnswer | undefined, atLeast: number): PartTokens {
  const { context, value } = resultOf<{ context?: { slot?: unknown }; value?: unknown }>(answer);
  const slot = Number(context?.slot);
  if (!Number.isSafeInteger(slot) || !Array.isArray(value)) throw new RpcFault('the list of accounts cannot be read');
  if (slot < atLeast) throw new RpcFault(`the newest final slot is ${slot}, and was ${atLeast} before`);
  const tokens = value.map((item) => tokenIn(source, part, item, slot));
  if (new Set(tokens.map(({ token }) => token)).size < tokens.length) throw new RpcFault('the node repeats an account');
  return { tokens, slot };
}

function tokenIn({ network, gatekeeperNetwork }: SolanaSource, part: Part, item: unknown, slot: number): ScannedToken {
  const { pubkey, account } = Object(item) as { pubkey?: unknown; account?: { owner?: unknown; data?: unknown } };
  const token = parseSolanaAddress(String(pubkey));
  const read = readAccount(account?.data);
  const isOfQuery =
    token !== undefined &&
    account?.owner === network.program &&
    read?.gatekeeperNetwork === gatekeeperNetwork &&
    (part.gatekeeper === undefined || read.issuer === part.gatekeeper) &&
    (part.walletByte === undefined || base58.decode(read.wallet)[0] === part.walletByte);
  if (!isOfQuery) throw new RpcFault(`the account ${token ?? ''} is not a token of the query`);
  const { wallet, state, expiry, issuer } = read;
  return { network, wallet, state, expiry, issuer, token, block: slot };
}

function readAccount(data: unknown) {
  try {
    const bytes = getBase64Encoder().encode((data as [string])[0]);
    const { owner: wallet, gatekeeperNetwork } = tokenAccount.decode(bytes);
    const token = readToken(bytes);
    if (token?.state === undefined || token.state === 'NONE') return undefined;
    return { ...token, state: token.state, wallet, gatekeeperNetwork };
  } catch {
    return undefined;
  }
}
