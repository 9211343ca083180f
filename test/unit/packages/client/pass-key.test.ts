import { expect, it } from 'vitest';
import type { PassKey } from '../../../../packages/client/src/pass.ts';
import { NETWORKS } from '../../../../src/network/networks.ts';

type NetworkOf<Chain> = Extract<PassKey['chain'], { type: Chain }>['network'];

/** The type check fails if this is not exactly the list of Solana networks in the client's types. */
const SOLANA_NETWORKS: Readonly<Record<NetworkOf<'solana'>, true>> = { 'mainnet-beta': true, devnet: true };

it('the type of a pass key in the client has the Solana networks of the service', () => {
  const solana = NETWORKS.filter(({ chain }) => chain === 'solana').map(({ network }) => network);
  expect(Object.keys(SOLANA_NETWORKS)).toEqual(solana);
});
