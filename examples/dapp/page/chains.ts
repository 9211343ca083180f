import type { Chain } from 'viem';
import { baseSepolia, mainnet, sepolia } from 'viem/chains';

/** The chains of the Ethereum-type networks, by the names of the service. Add those of your dApp. */
export const CHAINS: Readonly<Record<string, Chain>> = { mainnet, sepolia, baseSepolia };
