import { GatewayProvider } from '@gatepass/react';
import { useMemo } from 'react';
import { requestPass } from './back-end.ts';
import { MembersSection } from './members-section.tsx';
import { PassSection } from './pass-section.tsx';
import { readerFor } from './readers.ts';
import type { DappNetwork, PageSettings } from './settings.ts';
import type { ConnectedWallet } from './wallets/wallet.ts';

interface PassAreaProps {
  readonly wallet: ConnectedWallet;
  readonly network: DappNetwork;
  readonly settings: PageSettings;
}

/** A pass that ends sooner counts as about to expire. The back end renews it in the same time. */
const RENEWAL_SECONDS = 14 * 24 * 3600;
/** How often the page reads the chain: a frozen pass is refused after this time. */
const OPTIONS = { chainPollingIntervalMs: 2_000 };

/** The pass of the connected wallet, and the part that it opens. */
export function PassArea({ wallet, network, settings }: PassAreaProps) {
  const reader = useMemo(() => readerFor(network, settings), [network, settings]);
  return (
    <GatewayProvider
      wallet={wallet.walletAddress}
      gatekeeperNetwork={settings.gatekeeperNetwork}
      reader={reader}
      requestPass={() => requestPass(wallet, network.name)}
      expiryMarginSeconds={RENEWAL_SECONDS}
      options={OPTIONS}
    >
      <PassSection walletAddress={wallet.walletAddress} network={network.name} />
      <MembersSection />
    </GatewayProvider>
  );
}
