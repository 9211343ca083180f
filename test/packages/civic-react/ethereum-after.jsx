import { GatewayProvider, GatewayStatus, IdentityButton, useGateway, viemReader } from '@gatepass/react';
import { JsonRpcProvider, Wallet } from 'ethers';
import { useMemo } from 'react';
import { createRoot } from 'react-dom/client';
import { createPublicClient, http } from 'viem';

const query = new URLSearchParams(location.search);
const node = createPublicClient({ transport: http(`${location.origin}/rpc`) });
const reader = viemReader(node, { contract: '0xA0d8b83d512cc74690DE0a57D156eddfB42752B4', slot: 1n });
const requestPass = ({ wallet }) => fetch(`/pass/${wallet}`, { method: 'POST' }).then((answer) => answer.json());

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
    <GatewayProvider
      wallet={wallet}
      gatekeeperNetwork={query.get('gatekeeperNetwork')}
      reader={reader}
      requestPass={requestPass}
    >
      <Members />
    </GatewayProvider>
  );
}

createRoot(document.getElementById('root')).render(<Page />);
