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

interface Names {
  readonly chain: Chain;
  readonly walletAddress: string;
}

const namesOf = ({ chain, walletAddress }: Names) =>
  [chain.type, chain.network, walletAddress].map(encodeURIComponent).join('/');

/** The address of the view of a pass. */
export const passView = (pass: Names) => `#/pass/${namesOf(pass)}`;

/** The address of the view of a person. */
export const subjectView = (subject: string) => `#/subject/${encodeURIComponent(subject)}`;

/** The address of the operator's view of the passes of a wallet. */
export const whyView = (pass: Names) => `#/why/${namesOf(pass)}`;
