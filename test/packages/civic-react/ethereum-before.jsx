import { GatewayProvider, GatewayStatus, IdentityButton, useGateway } from '@civic/ethereum-gateway-react';
import { JsonRpcProvider, Wallet } from 'ethers';
import { useMemo } from 'react';
import { createRoot } from 'react-dom/client';

const query = new URLSearchParams(location.search);

function Members() {
  const { gatewayStatus, gatewayToken, requestGatewayToken } = useGateway();
  return (
    <main>
      <p id="status">{GatewayStatus[gatewayStatus]}</p>
      <p id="token">{gatewayToken?.state}</p>
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
    const signer = new Wallet(query.get('key'), new JsonRpcProvider(`${location.origin}/rpc`));
    return { address: signer.address, signer };
  }, []);
  return (
    <GatewayProvider wallet={wallet} gatekeeperNetwork={query.get('gatekeeperNetwork')}>
      <Members />
    </GatewayProvider>
  );
}

createRoot(document.getElementById('root')).render(<Page />);
