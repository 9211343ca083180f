import { StaticJsonRpcProvider } from '@ethersproject/providers';
import { DEFAULT_GATEWAY_TOKEN_ADDRESS, GatewayTs } from '@identity.com/gateway-eth-ts';
import { slotOf } from '../../src/network/slot.ts';

/** Whether a dApp lets the wallet in: asked on chain, by the protocol's own client, of which we wrote nothing. */
export function dAppAccepts(rpcUrl: string, wallet: string, gatekeeperNetwork: string): Promise<boolean> {
  const gateway = new GatewayTs(new StaticJsonRpcProvider(rpcUrl), DEFAULT_GATEWAY_TOKEN_ADDRESS);
  return gateway.verify(wallet, slotOf(gatekeeperNetwork) as bigint);
}
