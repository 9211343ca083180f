import type { PassKey } from './pass.ts';

type NetworkOf<Type> = Extract<PassKey['chain'], { readonly type: Type }>['network'];

/** The names of the networks of each chain that this version of the client knows. */
export const NETWORKS: {
  readonly ethereum: readonly NetworkOf<'ethereum'>[];
  readonly solana: readonly NetworkOf<'solana'>[];
} = {
  ethereum: [
    'mainnet',
    'sepolia',
    'polygonAmoy',
    'polygonMainnet',
    'polygonZKEVM',
    'polygonZKEVMTestnet',
    'optimismSepolia',
    'optimismMainnet',
    'arbitrumSepolia',
    'arbitrumMainnet',
    'avalancheCChain',
    'avalancheCChainFuji',
    'xdcMainnet',
    'xdcApothem',
    'fantomMainnet',
    'fantomTestnet',
    'baseSepolia',
    'baseMainnet',
    'bscMainnet',
    'bscTestnet',
    'xlayerMainnet',
    'xlayerTestnet',
    'unichainMainnet',
    'unichainSepolia',
    'sonicMainnet',
    'sonicTestnet',
  ],
  solana: ['mainnet-beta', 'devnet'],
};
