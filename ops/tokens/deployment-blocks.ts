/**
 * The blocks in which GatewayToken was deployed at 0xF65b6396dF6B7e2D8a6270E3AB6c7BB08BAEF22E. Source: the files
 * ethereum/smart-contract/deployments/NETWORK/GatewayTokenProxy.json (`receipt.blockNumber`) in identity-com/on-chain-identity-gateway,
 * and for bscMainnet (`bsc`) and xlayerMainnet in civicteam/on-chain-identity-gateway. A missing network has no such record.
 */
const BLOCKS: Readonly<Record<string, number>> = {
  mainnet: 17_115_271,
  sepolia: 3_350_227,
  polygonMainnet: 41_896_100,
  optimismSepolia: 7_833_619,
  optimismMainnet: 112_144_492,
  arbitrumSepolia: 1_013_104,
  avalancheCChain: 37_756_728,
  avalancheCChainFuji: 27_692_242,
  fantomMainnet: 67_582_357,
  fantomTestnet: 20_108_507,
  baseSepolia: 2_058_026,
  baseMainnet: 6_548_724,
  bscMainnet: 41_723_457,
  bscTestnet: 35_290_360,
  xlayerMainnet: 4_749_154,
};

const RECORDED_ADDRESS = '0xF65b6396dF6B7e2D8a6270E3AB6c7BB08BAEF22E';

/** Returns the block in which the contract was deployed; undefined if no record of this address on this network exists. */
export function deploymentBlockOf(network: string, gateway: string): number | undefined {
  return gateway.toLowerCase() === RECORDED_ADDRESS.toLowerCase() ? BLOCKS[network] : undefined;
}
