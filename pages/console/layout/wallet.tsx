import { Copy } from './copy.tsx';

/** The last characters of a shortened wallet, by which people recognize it too. */
const END_CHARACTERS = 4;

interface WalletProps {
  readonly address: string;
  /** The view of its pass. */
  readonly href: string;
}

/** A link with a wallet in one line, and a button that copies it. The style shortens the wallet until the link has the focus. */
export const Wallet = ({ address, href }: WalletProps) => (
  <span class="marked">
    <a class="wallet" href={href} title={address} aria-label={address}>
      <code>
        <span class="start">{address.slice(0, -END_CHARACTERS)}</span>
        <span class="end">{address.slice(-END_CHARACTERS)}</span>
      </code>
    </a>
    <Copy text={address} what={`the wallet ${address}`} />
  </span>
);
