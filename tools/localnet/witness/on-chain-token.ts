import { StaticJsonRpcProvider } from '@ethersproject/providers';
import { GatewayTs, TokenState } from '@identity.com/gateway-eth-ts';
import { findGatewayToken } from '@identity.com/solana-gateway-ts';
import { Connection, PublicKey } from '@solana/web3.js';
import { OWNERLESS_CONTRACT } from '../../../src/network/networks.ts';
import { slotOf } from '../../../src/network/slot.ts';

/** Reads the chain with the protocol's own clients, which share no code with this project. */

/**
 * Whether a dApp accepts the wallet.
 * @param contract The one that the dApp asks on an Ethereum-type network.
 */
export async function dAppAccepts(
  rpcUrl: string,
  wallet: string,
  gatekeeperNetwork: string,
  contract: string = OWNERLESS_CONTRACT,
): Promise<boolean> {
  if (isEthereum(wallet)) return ethereumClient(rpcUrl, contract).verify(wallet, slotOf(gatekeeperNetwork) as bigint);
  return (await findSolanaToken(rpcUrl, wallet, gatekeeperNetwork, false))?.isValid() ?? false;
}

/** The gateway token of a wallet. */
export interface OnChainToken {
  readonly state: string;
  /** Unix seconds; undefined: never. */
  readonly expiry: number | undefined;
}

/** Returns the token of the wallet in any state; the first one of the client's list if there are several. */
export async function readToken(
  rpcUrl: string,
  wallet: string,
  gatekeeperNetwork: string,
  contract: string = OWNERLESS_CONTRACT,
): Promise<OnChainToken | undefined> {
  if (isEthereum(wallet)) {
    const token = await ethereumClient(rpcUrl, contract).getToken(wallet, slotOf(gatekeeperNetwork) as bigint);
    return token
      ? { state: TokenState[token.state] ?? '', expiry: token.expiration.toNumber() || undefined }
      : undefined;
  }
  const token = await findSolanaToken(rpcUrl, wallet, gatekeeperNetwork, true);
  return token ? { state: token.state, expiry: token.expiryTime } : undefined;
}

function isEthereum(wallet: string): boolean {
  return wallet.startsWith('0x');
}

function ethereumClient(rpcUrl: string, contract: string): GatewayTs {
  return new GatewayTs(new StaticJsonRpcProvider(rpcUrl), contract);
}

function findSolanaToken(rpcUrl: string, wallet: string, gatekeeperNetwork: string, revokedToo: boolean) {
  const connection = new Connection(rpcUrl, 'confirmed');
  return findGatewayToken(connection, new PublicKey(wallet), new PublicKey(gatekeeperNetwork), revokedToo);
}
