import type { Network } from '../../network/network.ts';
import { type ChainPort, RpcFault } from '../port.ts';

/** Returns the port of a simulated network. */
export function openSandboxChain(_network: Network, _gatekeeperNetwork: string, _env: Env): ChainPort {
  throw new RpcFault('the simulation does not run yet');
}
