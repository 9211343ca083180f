import type { Network } from '../../../src/network/network.ts';
import { NETWORKS, OWNERLESS_CONTRACT } from '../../../src/network/networks.ts';
import { stopChildren } from '../../../terminal/child-process.ts';
import { GATEKEEPERS } from '../../../tools/localnet/ethereum/gatekeepers.ts';
import { startEthereumNode } from '../../../tools/localnet/ethereum/start-node.ts';
import { ADMIN_AUDIENCE, AUDIENCE, OPERATOR, PARTNERS } from '../../../tools/localnet/oauth/partners.ts';
import { startOAuthServer } from '../../../tools/localnet/oauth/server.ts';
import { SOLANA_GATEKEEPER_KEYS, SOLANA_GATEKEEPERS } from '../../../tools/localnet/solana/gatekeepers.ts';
import { GATEWAY_PROGRAM } from '../../../tools/localnet/solana/runtime/gateway-addresses.ts';
import { startSolanaNode } from '../../../tools/localnet/solana/start-node.ts';
import type { LocalnetFacts } from '../../../tools/localnet/state/localnet-facts.ts';
import type { Node } from '../../../tools/localnet/state/node.ts';
import { findFreePort } from '../../../tools/localnet/state/ports.ts';
import { callNode } from '../../call-node.ts';

/** A localnet of four Ethereum-type networks and both of Solana, whose blocks a test makes when it wants them. */

const NAMES = ['sepolia', 'baseSepolia', 'polygonAmoy', 'avalancheCChainFuji', 'devnet', 'mainnet-beta'];
export const SIX_NETWORKS: readonly Network[] = NETWORKS.filter(({ network }) => NAMES.includes(network));

/** The signers look often. How many transactions they may have in no block is as in a deployment. */
const SETTINGS = {
  ethereum: { confirmations: 1, final: { depth: 2 }, blockMs: 1_000, watch: false },
  solana: { watch: false },
} as const;
const [ofDevnet, ofMainnet] = SOLANA_GATEKEEPER_KEYS;
/** Variables of the Worker. Each network has one key. */
export const SIX_VARIABLES = {
  NETWORKS: JSON.stringify(Object.fromEntries(SIX_NETWORKS.map(({ network, chain }) => [network, SETTINGS[chain]]))),
  SOLANA_GATEKEEPER_KEY: JSON.stringify({ devnet: ofDevnet, 'mainnet-beta': ofMainnet }),
} as const;

/** A block that a reader of the chain sees at once. */
const PACE = { confirmed: 0 };
const BLOCK_SECONDS = 1;
const SLOT_MS = 400;

export interface SixNetworks {
  readonly facts: LocalnetFacts;
  makeBlock(network: Network): Promise<void>;
  /** Makes blocks by itself, or no longer. */
  setPace(network: Network, isRunning: boolean): Promise<void>;
  stop(): Promise<void>;
}

export async function startSixNetworks(): Promise<SixNetworks> {
  const [oauth, ...nodes] = await Promise.all([startOAuthServer(), ...SIX_NETWORKS.map(startNode)]);
  const rpc = Object.fromEntries(nodes.map(({ network, rpcUrl }) => [network, rpcUrl]));
  const call = ({ network }: Network, method: string, ...params: unknown[]) =>
    callNode(rpc[network] as string, method, params);
  const contractOf = ({ chain }: Network) => (chain === 'ethereum' ? OWNERLESS_CONTRACT : GATEWAY_PROGRAM);
  return {
    facts: {
      issuer: oauth.issuer,
      tokenUrl: oauth.tokenUrl,
      jwksUrl: oauth.jwksUrl,
      audience: AUDIENCE,
      partners: PARTNERS,
      operator: { ...OPERATOR, audience: ADMIN_AUDIENCE },
      rpc,
      gatewayToken: Object.fromEntries(SIX_NETWORKS.map((each) => [each.network, contractOf(each)])),
      gatekeeper: { ethereum: GATEKEEPERS[0], solana: SOLANA_GATEKEEPERS[0] },
      pids: Object.fromEntries(nodes.map(({ network, pid }) => [network, pid])),
    },
    async makeBlock(network) {
      await call(network, network.chain === 'ethereum' ? 'evm_mine' : 'localnet_advance');
    },
    async setPace(network, isRunning) {
      if (network.chain === 'ethereum') await call(network, 'evm_setIntervalMining', isRunning ? BLOCK_SECONDS : 0);
      else await call(network, 'localnet_setSlotMs', isRunning ? SLOT_MS : 0);
    },
    async stop() {
      await Promise.all([oauth.stop(), ...nodes.map((node) => node.stop())]);
      await stopChildren();
    },
  };
}

async function startNode(row: Network): Promise<Node> {
  const options = { network: row.network, port: await findFreePort() };
  if (row.chain === 'solana') return startSolanaNode(options, { ...PACE, slotMs: SLOT_MS });
  return startEthereumNode(row.chainId, options, BLOCK_SECONDS);
}
