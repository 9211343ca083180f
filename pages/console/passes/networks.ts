/** The networks with the address of a transaction in their explorer. A test compares them with the network data and viem. */
export const NETWORKS: readonly { network: string; chain: string; explorer: string }[] = [
  {
    network: 'mainnet-beta',
    chain: 'solana',
    explorer: 'https://explorer.solana.com/tx/{transaction}',
  },
  {
    network: 'devnet',
    chain: 'solana',
    explorer: 'https://explorer.solana.com/tx/{transaction}?cluster=devnet',
  },
  {
    network: 'mainnet',
    chain: 'ethereum',
    explorer: 'https://etherscan.io/tx/{transaction}',
  },
  {
    network: 'sepolia',
    chain: 'ethereum',
    explorer: 'https://sepolia.etherscan.io/tx/{transaction}',
  },
  {
    network: 'polygonAmoy',
    chain: 'ethereum',
    explorer: 'https://amoy.polygonscan.com/tx/{transaction}',
  },
  {
    network: 'polygonMainnet',
    chain: 'ethereum',
    explorer: 'https://polygonscan.com/tx/{transaction}',
  },
  {
    network: 'polygonZKEVM',
    chain: 'ethereum',
    explorer: 'https://zkevm.polygonscan.com/tx/{transaction}',
  },
  {
    network: 'polygonZKEVMTestnet',
    chain: 'ethereum',
    explorer: 'https://cardona-zkevm.polygonscan.com/tx/{transaction}',
  },
  {
    network: 'optimismSepolia',
    chain: 'ethereum',
    explorer: 'https://optimism-sepolia.blockscout.com/tx/{transaction}',
  },
  {
    network: 'optimismMainnet',
    chain: 'ethereum',
    explorer: 'https://optimistic.etherscan.io/tx/{transaction}',
  },
  {
    network: 'arbitrumSepolia',
    chain: 'ethereum',
    explorer: 'https://sepolia.arbiscan.io/tx/{transaction}',
  },
  {
    network: 'arbitrumMainnet',
    chain: 'ethereum',
    explorer: 'https://arbiscan.io/tx/{transaction}',
  },
  {
    network: 'avalancheCChain',
    chain: 'ethereum',
    explorer: 'https://snowtrace.io/tx/{transaction}',
  },
  {
    network: 'avalancheCChainFuji',
    chain: 'ethereum',
    explorer: 'https://testnet.snowtrace.io/tx/{transaction}',
  },
  {
    network: 'xdcMainnet',
    chain: 'ethereum',
    explorer: 'https://xdcscan.com/tx/{transaction}',
  },
  {
    network: 'xdcApothem',
    chain: 'ethereum',
    explorer: 'https://testnet.xdcscan.com/tx/{transaction}',
  },
  {
    network: 'fantomMainnet',
    chain: 'ethereum',
    explorer: 'https://ftmscan.com/tx/{transaction}',
  },
  {
    network: 'fantomTestnet',
    chain: 'ethereum',
    explorer: 'https://testnet.ftmscan.com/tx/{transaction}',
  },
  {
    network: 'baseSepolia',
    chain: 'ethereum',
    explorer: 'https://sepolia.basescan.org/tx/{transaction}',
  },
  {
    network: 'baseMainnet',
    chain: 'ethereum',
    explorer: 'https://basescan.org/tx/{transaction}',
  },
  {
    network: 'bscMainnet',
    chain: 'ethereum',
    explorer: 'https://bscscan.com/tx/{transaction}',
  },
  {
    network: 'bscTestnet',
    chain: 'ethereum',
    explorer: 'https://testnet.bscscan.com/tx/{transaction}',
  },
  {
    network: 'xlayerMainnet',
    chain: 'ethereum',
    explorer: 'https://www.oklink.com/xlayer/tx/{transaction}',
  },
  {
    network: 'xlayerTestnet',
    chain: 'ethereum',
    explorer: 'https://www.oklink.com/xlayer-test/tx/{transaction}',
  },
  {
    network: 'unichainMainnet',
    chain: 'ethereum',
    explorer: 'https://uniscan.xyz/tx/{transaction}',
  },
  {
    network: 'unichainSepolia',
    chain: 'ethereum',
    explorer: 'https://sepolia.uniscan.xyz/tx/{transaction}',
  },
  {
    network: 'sonicMainnet',
    chain: 'ethereum',
    explorer: 'https://sonicscan.org/tx/{transaction}',
  },
  {
    network: 'sonicTestnet',
    chain: 'ethereum',
    explorer: 'https://testnet.sonicscan.org/tx/{transaction}',
  },
];

/** Returns the network of that name, with its chain and its explorer. */
export const networkOf = (name: string) => NETWORKS.find(({ network }) => network === name);
