import { StaticJsonRpcProvider } from '@ethersproject/providers';
import { DEFAULT_GATEWAY_TOKEN_ADDRESS, GatewayTs } from '@identity.com/gateway-eth-ts';
import { findGatewayToken } from '@identity.com/solana-gateway-ts';
import { Connection, PublicKey } from '@solana/web3.js';
import { slotOf } from '../../src/network/slot.ts';

/** Whether a dApp lets the wallet in: asked on chain, by the protocol's own clients, of which we wrote nothing. */
export async function dAppAccepts(rpcUrl: string, wallet: string, gatekeeperNetwork: string): Promise<boolean> {
  if (wallet.startsWith('0x')) {
    const gateway = new GatewayTs(new StaticJsonRpcProvider(rpcUrl), DEFAULT_GATEWAY_TOKEN_ADDRESS);
    return gateway.verify(wallet, slotOf(gatekeeperNetwork) as bigint);
  }
  const connection = new Connection(rpcUrl, 'confirmed');
  const token = await findGatewayToken(connection, new PublicKey(wallet), new PublicKey(gatekeeperNetwork));
  return token?.isValid() ?? false;
}
