import { GatewayProvider, GatewayStatus, useGateway } from '@civic/solana-gateway-react';
import { Connection, PublicKey } from '@solana/web3.js';
import { createElement, useMemo } from 'react';
import { createRoot } from 'react-dom/client';

/** A dApp on Solana, as the README of the package describes it. */

const query = new URLSearchParams(location.search);

function Status() {
  return createElement('p', { id: 'status' }, GatewayStatus[useGateway().gatewayStatus]);
}

function Page() {
  const props = useMemo(
    () => ({
      connection: new Connection(`${location.origin}/rpc`, 'confirmed'),
      cluster: 'devnet',
      gatekeeperNetwork: new PublicKey(query.get('gatekeeperNetwork')),
      wallet: {
        publicKey: new PublicKey(query.get('wallet')),
        signTransaction: async (transaction) => transaction,
        signMessage: async (message) => message,
      },
    }),
    [],
  );
  return createElement(GatewayProvider, props, createElement(Status));
}

createRoot(document.getElementById('root')).render(createElement(Page));
