/** The networks of a world, and the wallets on each. */

export type ChainNetwork = 'sepolia' | 'devnet';
export const NETWORKS: readonly ChainNetwork[] = ['sepolia', 'devnet'];
export const CHAIN_OF = { sepolia: 'ethereum', devnet: 'solana' } as const;

export const WALLETS: Readonly<Record<ChainNetwork, readonly string[]>> = {
  sepolia: [
    '0x1111111111111111111111111111111111111111',
    '0x2222222222222222222222222222222222222222',
    '0x3333333333333333333333333333333333333333',
  ],
  devnet: [
    '8qbHbw2BbbTHBW1sbeqakYXVKRQM8Ne7pLK7m6CVfeR',
    'CktRuQ2mttgRGkXJtyksdKHjUdc2C4TgDzyB98oEzy8',
    'GgBaCs3NCBuZN12kCJgAW63ydqohFkHEdfdEXBPzLHq',
  ],
};

/** A pass by its wallet: no gatekeeper network has two of one wallet on one network. */
export interface PassKey {
  readonly gatekeeperNetwork: string;
  readonly network: ChainNetwork;
  readonly wallet: string;
}

/** Returns a text that no other pass has. */
export const textOf = ({ gatekeeperNetwork, network, wallet }: PassKey): string =>
  `${network} ${gatekeeperNetwork} ${wallet}`;
