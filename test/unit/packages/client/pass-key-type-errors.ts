import type { Gatepass } from '../../../../packages/client/src/gatepass.ts';

/** Never runs. The type check fails if a marked line compiles, or if another line does not compile. */
export function expectTypeErrors(gatepass: Gatepass, walletAddress: string): void {
  void gatepass.issue({ chain: { type: 'ethereum', network: 'sepolia' }, walletAddress });
  void gatepass.issue({ chain: { type: 'solana', network: 'devnet' }, walletAddress });
  // @ts-expect-error: sepolia is not a network of Solana
  void gatepass.issue({ chain: { type: 'solana', network: 'sepolia' }, walletAddress });
  // @ts-expect-error: devnet is not an Ethereum-type network
  void gatepass.issueAndWait({ chain: { type: 'ethereum', network: 'devnet' }, walletAddress });
  // @ts-expect-error: mainnet-beta is the mainnet of Solana
  void gatepass.get({ chain: { type: 'ethereum', network: 'mainnet-beta' }, walletAddress });
  // @ts-expect-error: mainnet is the mainnet of Ethereum
  void gatepass.revoke({ chain: { type: 'solana', network: 'mainnet' }, walletAddress });
}
