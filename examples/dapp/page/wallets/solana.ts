import { getWallets } from '@wallet-standard/app';
import type { ConnectedWallet, WalletProgram } from './wallet.ts';

/** Wallets of Solana: the Wallet Standard. */

type Wallet = ReturnType<ReturnType<typeof getWallets>['get']>[number];
type WalletAccount = Wallet['accounts'][number];

/** The features that this dApp needs, in the form of the standard. */
interface Features {
  readonly 'standard:connect': { connect(): Promise<{ readonly accounts: readonly WalletAccount[] }> };
  readonly 'standard:events': {
    on(event: 'change', listener: (change: { readonly accounts?: readonly WalletAccount[] }) => void): () => void;
  };
  readonly 'solana:signMessage': {
    signMessage(input: {
      readonly account: WalletAccount;
      readonly message: Uint8Array;
    }): Promise<readonly { readonly signature: Uint8Array }[]>;
  };
}
const NEEDED = ['standard:connect', 'standard:events', 'solana:signMessage'];

/** A wallet on Solana names no network of its own: the dApp chooses it. */
export function watchSolanaWallets(
  network: string | undefined,
  onPrograms: (programs: readonly WalletProgram[]) => void,
): () => void {
  const { get, on } = getWallets();
  const report = () =>
    onPrograms(
      get()
        .filter(({ features }) => NEEDED.every((name) => name in features))
        .map((wallet) => programOf(wallet, network)),
    );
  report();
  const stops = [on('register', report), on('unregister', report)];
  return () => {
    for (const stop of stops) stop();
  };
}

function programOf({ name, features }: Wallet, network: string | undefined): WalletProgram {
  const wallet = features as unknown as Features;
  return {
    id: `solana:${name}`,
    name,
    chain: 'solana',
    async connect(onChange) {
      const report = (accounts: readonly WalletAccount[]) =>
        onChange(accounts[0] && walletOf(wallet, name, network, accounts[0]));
      const { accounts } = await wallet['standard:connect'].connect();
      const stop = wallet['standard:events'].on('change', ({ accounts: changed }) => {
        if (changed !== undefined) report(changed);
      });
      report(accounts);
      return stop;
    },
  };
}

function walletOf(
  wallet: Features,
  program: string,
  network: string | undefined,
  account: WalletAccount,
): ConnectedWallet {
  return {
    chain: 'solana',
    program,
    walletAddress: account.address,
    network,
    async sign(message) {
      const input = { account, message: new TextEncoder().encode(message) };
      const [signed] = await wallet['solana:signMessage'].signMessage(input);
      if (signed === undefined) throw new Error('the wallet returned no signature');
      return btoa(String.fromCharCode(...signed.signature));
    },
  };
}
