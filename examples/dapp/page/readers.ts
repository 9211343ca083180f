import { type PassReader, viemReader } from '@gatepass/react';
import { kitReader } from '@gatepass/react/solana';
import { createSolanaRpc } from '@solana/kit';
import { createPublicClient, http } from 'viem';
import { CHAINS } from './chains.ts';
import type { DappNetwork, PageSettings } from './settings.ts';

/** The hook reads again soon, so a request that fails is not repeated. */
const TRANSPORT = { batch: true, retryCount: 0 };

/** Returns the reader of the passes on a network, through the node of the back end. */
export function readerFor({ chain, name, rpc }: DappNetwork, { contract, slot }: PageSettings): PassReader {
  const url = new URL(rpc, location.href).href;
  if (chain === 'solana') return kitReader(createSolanaRpc(url), { name });
  const known = CHAINS[name];
  if (known === undefined) throw new Error(`this page does not know the chain of ${name}`);
  const client = createPublicClient({ chain: known, transport: http(url, TRANSPORT) });
  return viemReader(client, { contract, slot: BigInt(slot) });
}
