import { GatewayProvider, GatewayStatus, IdentityButton, useGateway } from '@gatepass/react';
import { kitReader } from '@gatepass/react/solana';
import { createSolanaRpc } from '@solana/kit';
import { PublicKey } from '@solana/web3.js';
import { useMemo } from 'react';
import { createRoot } from 'react-dom/client';

const query = new URLSearchParams(location.search);
const reader = kitReader(createSolanaRpc(`${location.origin}/rpc`));
const requestPass = ({ wallet }) => fetch(`/pass/${wallet}`, { method: 'POST' }).then((answer) => answer.json());
const gatekeeperNetwork = new PublicKey(query.get('gatekeeperNetwork'));

function Members() {
  const { gatewayStatus, gatewayToken, requestGatewayToken } = useGateway();
  return (
    <main>
      <p id="status">{GatewayStatus[gatewayStatus]}</p>
      <p id="token">{gatewayToken?.publicKey.toBase58()}</p>
      <IdentityButton id="identity" />
      <button id="request" type="button" onClick={requestGatewayToken}>
        Verify your wallet
      </button>
      {gatewayStatus === GatewayStatus.ACTIVE && <p id="members">Welcome</p>}
    </main>
  );
}

function Page() {
  const wallet = useMemo(() => {
    const publicKey = new PublicKey(query.get('wallet'));
    return { publicKey, signTransaction: async (transaction) => transaction, signMessage: async (message) => message };
  }, []);
  return (
    <GatewayProvider wallet={wallet} gatekeeperNetwork={gatekeeperNetwork} reader={reader} requestPass={requestPass}>
      <Members />
    </GatewayProvider>
  );
}

createRoot(document.getElementById('root')).render(<Page />);
