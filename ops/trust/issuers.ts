import type { Hex } from 'viem';
import { getAddress } from 'viem/utils';
import type { FoundLog } from '../../src/chain/ethereum/logs.ts';
import * as rpc from '../../src/chain/ethereum/rpc.ts';
import { askEach, type JsonRpc, jsonRpc } from '../../src/chain/json-rpc.ts';
import { identityOf } from '../../src/chain/solana/rpc.ts';
import type { SolanaNetwork } from '../../src/network/network.ts';
import type { NetworkNodes } from '../nodes/open-nodes.ts';
import { PAUSE_MS, patientFetch } from '../tokens/retry.ts';
import { readParts } from '../tokens/solana-tokens.ts';

/** An account that issued tokens of a gatekeeper network, with their number. */
export interface Issuer {
  /** Null: a call through another contract issued them, or their transactions are not read. */
  readonly account: string | null;
  readonly tokens: number;
}

/** `isYours`: the account is a gatekeeper key of the deployment, or the operator named it. */
export type JudgedIssuer = Issuer & { readonly isYours: boolean };

export function judgeIssuers(issuers: readonly Issuer[], own: readonly string[]): JudgedIssuer[] {
  const isOwn = (account: string) => own.some((each) => each.toLowerCase() === account.toLowerCase());
  return issuers.map((issuer) => ({ ...issuer, isYours: issuer.account !== null && isOwn(issuer.account) }));
}

/** Maximum number of transactions whose senders are read. */
const MAX_TRANSACTIONS = 10_000;

/**
 * Returns who issued the tokens of these mint logs: the senders of their transactions. A token counts once, even if several endpoints
 * show its log.
 */
export async function readIssuers(send: JsonRpc, contract: Hex, mints: readonly FoundLog[]): Promise<Issuer[]> {
  const byToken = new Map(mints.map(({ topics, transactionHash }) => [topics[1], transactionHash]));
  const hashes = [...new Set(byToken.values())].flatMap((hash) => hash ?? []).slice(0, MAX_TRANSACTIONS);
  const answers = await askEach(send, hashes, rpc.transaction);
  const senders = new Map<Hex | undefined, string>(
    answers.flatMap(([hash, answer]) => {
      const { from, to } = ('result' in answer ? (answer.result ?? {}) : {}) as { from?: Hex; to?: Hex };
      return from && to?.toLowerCase() === contract.toLowerCase() ? [[hash, getAddress(from)] as const] : [];
    }),
  );
  return countByAccount([...byToken.values()].map((hash) => senders.get(hash) ?? null));
}

/** Returns who issued the existing tokens of a gatekeeper network on Solana; undefined if the node does not list them. */
export async function readSolanaIssuers(
  { network, endpoints }: Pick<NetworkNodes, 'endpoints'> & { readonly network: SolanaNetwork },
  gatekeeperNetwork: string,
): Promise<Issuer[] | undefined> {
  const send = jsonRpc(endpoints, identityOf(network), patientFetch);
  const source = { network, gatekeeperNetwork, send, sendParts: send, pauseMs: PAUSE_MS };
  const parts = await readParts(source, [{ gatekeeper: undefined, walletByte: undefined }], 0);
  return parts && countByAccount(parts.flatMap(({ tokens }) => tokens.map(({ issuer }) => issuer)));
}

/** Returns the accounts with the most tokens first. */
function countByAccount(accounts: readonly (string | null)[]): Issuer[] {
  return [...Map.groupBy(accounts, (account) => account)]
    .map(([account, each]) => ({ account, tokens: each.length }))
    .toSorted((a, b) => b.tokens - a.tokens);
}

/** Returns the lines for a reader. */
export function formatIssuers(issuers: readonly JudgedIssuer[] | null): string[] {
  if (issuers === null) return ['no endpoint lists the tokens, so their issuers are unknown'];
  return issuers.map(({ account, tokens, isYours }) => {
    const count = `${tokens} ${tokens === 1 ? 'token' : 'tokens'}`;
    if (account === null) return `unknown accounts issued ${count}`;
    return `${account} issued ${count}${isYours ? '' : ', and is no account of yours'}`;
  });
}
