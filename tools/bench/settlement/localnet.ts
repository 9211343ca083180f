import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OWNERLESS_CONTRACT } from '../../../src/network/networks.ts';
import { GATEKEEPERS } from '../../localnet/ethereum/gatekeepers.ts';
import { startEthereumNode } from '../../localnet/ethereum/start-node.ts';
import { ADMIN_AUDIENCE, AUDIENCE, OPERATOR, PARTNERS } from '../../localnet/oauth/partners.ts';
import { startOAuthServer } from '../../localnet/oauth/server.ts';
import { SOLANA_GATEKEEPERS } from '../../localnet/solana/gatekeepers.ts';
import { GATEWAY_PROGRAM } from '../../localnet/solana/runtime/gateway-addresses.ts';
import { startSolanaNode } from '../../localnet/solana/start-node.ts';
import type { LocalnetFacts } from '../../localnet/state/localnet-facts.ts';
import type { Node } from '../../localnet/state/node.ts';
import { findFreePort } from '../../localnet/state/ports.ts';
import { memoryFolder } from '../../memory-folder.ts';
import type { BenchContext } from '../measure.ts';

/** The networks of the measured issuances. */
export const SETTLEMENT_NETWORKS = ['sepolia', 'devnet'] as const;
export type SettlementNetwork = (typeof SETTLEMENT_NETWORKS)[number];

export const CHAINS = { sepolia: 'ethereum', devnet: 'solana' } as const;

/** Milliseconds between blocks, as on a current rollup and on Solana. */
export const BLOCK_MS = { sepolia: 250, devnet: 400 } as const;

const SEPOLIA = 11_155_111;

/** The localnet of the Worker, with nodes of one network only, so that one chain does not slow the other. */
export async function startSettlementLocalnet(
  { atEnd }: Pick<BenchContext, 'atEnd'>,
  network: SettlementNetwork,
  blockMs: number = BLOCK_MS[network],
): Promise<LocalnetFacts> {
  const oauth = await startOAuthServer();
  atEnd(oauth.stop);
  const node = await startNode(network, blockMs);
  atEnd(node.stop);
  return {
    issuer: oauth.issuer,
    tokenUrl: oauth.tokenUrl,
    jwksUrl: oauth.jwksUrl,
    audience: AUDIENCE,
    partners: PARTNERS,
    operator: { ...OPERATOR, audience: ADMIN_AUDIENCE },
    rpc: { [network]: node.rpcUrl },
    gatewayToken: { sepolia: OWNERLESS_CONTRACT, devnet: GATEWAY_PROGRAM },
    gatekeeper: { ethereum: GATEKEEPERS[0], solana: SOLANA_GATEKEEPERS[0] },
    pids: { [network]: node.pid },
  };
}

async function startNode(network: SettlementNetwork, blockMs: number): Promise<Node> {
  const options = { network, port: await findFreePort() };
  return network === 'sepolia'
    ? startEthereumNode(SEPOLIA, options, blockMs / 1000)
    : startSolanaNode(options, { slotMs: blockMs });
}

/**
 * Returns a folder for the state of a Worker, in memory if the machine allows it. Each new object creates files, and syncing them
 * takes a disk some milliseconds. That would dominate the measurement, while the platform has another kind of storage.
 */
export async function createStateFolder({ atEnd }: Pick<BenchContext, 'atEnd'>): Promise<string> {
  const folder = await mkdtemp(join(memoryFolder() ?? tmpdir(), 'gatepass-'));
  atEnd(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
