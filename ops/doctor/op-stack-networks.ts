/**
 * Networks of the OP stack: a transaction there also pays for its bytes in the chain below (the L1 data fee), which neither
 * gas nor its price shows. On Arbitrum the gas holds it.
 */
export const OP_STACK_NETWORKS: ReadonlySet<string> = new Set([
  'optimismSepolia',
  'optimismMainnet',
  'baseSepolia',
  'baseMainnet',
  'unichainSepolia',
  'unichainMainnet',
  // Of the OP stack since October 2025; viem does not say so yet.
  'xlayerTestnet',
  'xlayerMainnet',
]);
