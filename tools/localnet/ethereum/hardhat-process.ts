/**
 * The process of a hardhat node, which runs the rules of a hardfork. Its arguments are the chain id, the port, the hardfork, the gas limit
 * of a block, and the gas that a transaction may have (`none`: as much as a block).
 */
import { createHardhatRuntimeEnvironment } from 'hardhat/hre';
import { PROJECT } from '../../../terminal/wrangler.ts';

const [chainId = '', port = '', hardfork = '', blockGasLimit = '', transactionGasCap = ''] = process.argv.slice(2);

const hardhat = await createHardhatRuntimeEnvironment(
  {
    networks: {
      localnet: {
        type: 'edr-simulated',
        chainId: Number(chainId),
        hardfork,
        blockGasLimit: Number(blockGasLimit),
        transactionGasCap: transactionGasCap === 'none' ? false : Number(transactionGasCap),
      },
    },
  },
  {},
  PROJECT,
);
const server = await hardhat.network.createServer('localnet', '127.0.0.1', Number(port));
await server.listen();
