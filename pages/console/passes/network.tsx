import type { Chain, PassEvent } from '../api/records.ts';
import { networkOf } from './networks.ts';

interface TransactionLinkProps {
  readonly network: string;
  readonly identifier: string;
}

/** Links a transaction to the explorer of its network. The style shortens it, and screen readers get all of it. */
export function TransactionLink({ network, identifier }: TransactionLinkProps) {
  const explorer = networkOf(network)?.explorer.replace('{transaction}', encodeURIComponent(identifier));
  return (
    <a href={explorer} target="_blank" rel="noopener noreferrer">
      <code class="short">{identifier}</code>
    </a>
  );
}

/** Shows that others made a change, and the gatekeeper that did, if it is known. */
export const Origin = ({ gatekeeper }: NonNullable<PassEvent['byOthers']>) =>
  gatekeeper === undefined ? (
    <>by others</>
  ) : (
    <>
      by others: gatekeeper <code class="short">{gatekeeper}</code>
    </>
  );

/** The address of the view of a pass. */
export const passView = ({ chain, walletAddress }: { readonly chain: Chain; readonly walletAddress: string }) =>
  `#/pass/${[chain.type, chain.network, walletAddress].map(encodeURIComponent).join('/')}`;
