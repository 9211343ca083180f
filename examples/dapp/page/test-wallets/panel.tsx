import { useEffect, useState } from 'react';
import { installEthereumWallet } from './ethereum-wallet.ts';
import { installSolanaWallet } from './solana-wallet.ts';
import type { TestWallet } from './test-wallet.ts';

let installed: Promise<readonly TestWallet[]> | undefined;

/** The switches that a person finds in the program of a wallet. The page loads this file on a localnet only. */
export default function TestWalletPanel() {
  const [wallets, setWallets] = useState<readonly TestWallet[]>([]);
  useEffect(() => {
    installed ??= Promise.resolve(installEthereumWallet()).then(async (first) => [first, await installSolanaWallet()]);
    installed.then(setWallets);
  }, []);
  return (
    <aside aria-labelledby="test-wallets">
      <h2 id="test-wallets">Test wallets</h2>
      <p>Their keys are in the storage of this browser. They exist on the localnet only.</p>
      {wallets.map((wallet) => (
        <Switches key={wallet.chain} wallet={wallet} />
      ))}
    </aside>
  );
}

function Switches({ wallet }: { readonly wallet: TestWallet }) {
  const name = wallet.chain === 'ethereum' ? 'Ethereum' : 'Solana';
  const switches: readonly [string, (() => void) | undefined][] = [
    ['Other account', wallet.nextAccount],
    ['Other network', wallet.nextNetwork],
    ['Unknown network', wallet.unknownNetwork],
    ['Disconnect', wallet.disconnect],
    ['Reject the next request', wallet.rejectNext],
  ];
  return (
    <fieldset>
      <legend>{name}</legend>
      {switches.map(
        ([label, act]) =>
          act && (
            <button key={label} type="button" onClick={act}>
              {label}
            </button>
          ),
      )}
    </fieldset>
  );
}
