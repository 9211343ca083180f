import { contractOf } from '../src/network/network.ts';
import { NETWORKS } from '../src/network/networks.ts';

/** Returns the contract of passes on that network, unless the gatekeeper network has another one. On Solana, it is the program. */
export function defaultContract({ network }: { readonly network: string }): string {
  const row = NETWORKS.find((each) => each.network === network);
  if (row === undefined) throw new Error(`${network} is no network`);
  return contractOf({}, row);
}

/** The address of Civic's contract, which is nowhere the default. */
export const CIVIC_CONTRACT = '0xF65b6396dF6B7e2D8a6270E3AB6c7BB08BAEF22E';
