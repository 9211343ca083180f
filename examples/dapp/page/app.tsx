import { lazy, Suspense } from 'react';
import { useConnection, useWalletPrograms } from './connection.ts';
import { PassArea } from './pass-area.tsx';
import type { PageSettings } from './settings.ts';
import { WalletSection } from './wallet-section.tsx';

const TestWalletPanel = lazy(() => import('./test-wallets/panel.tsx'));

/** The page. Without a wallet it shows how to connect one, and with a wallet its pass and the part for members. */
export function App({ settings }: { readonly settings: PageSettings }) {
  const programs = useWalletPrograms(settings);
  const connection = useConnection();
  const { wallet } = connection;
  const network = settings.networks.find(({ name, chain }) => name === wallet?.network && chain === wallet.chain);
  const networks = settings.networks.filter(({ chain }) => chain === wallet?.chain).map(({ name }) => name);
  return (
    <>
      <main>
        <h1>The Members' Exchange</h1>
        <p className="lead">Only wallets with a pass trade here.</p>
        <WalletSection connection={connection} programs={programs} networks={networks} />
        {wallet && network && <PassArea wallet={wallet} network={network} settings={settings} />}
      </main>
      {settings.testWallets && (
        <Suspense>
          <TestWalletPanel />
        </Suspense>
      )}
    </>
  );
}
