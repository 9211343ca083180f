import { StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { createPublicClient, http } from 'viem';
import {
  GatewayProvider,
  GatewayStatus,
  PassGate,
  useGateway,
  viemReader,
} from '../../../../packages/react/src/react.ts';

/** A page with a wallet, a chain and a back end that the test changes through the form and the query. */

const query = new URLSearchParams(location.search);
const contract = (query.get('contract') ?? '') as `0x${string}`;

function Facts() {
  const { gatewayStatus, gatewayToken, secondsToExpiry, error } = useGateway();
  return (
    <dl>
      <dt>status</dt>
      <dd id="status">{GatewayStatus[gatewayStatus]}</dd>
      <dt>token</dt>
      <dd id="token">{JSON.stringify(gatewayToken)}</dd>
      <dt>seconds</dt>
      <dd id="seconds">{secondsToExpiry()}</dd>
      <dt>error</dt>
      <dd id="error">{error === undefined ? '' : 'present'}</dd>
    </dl>
  );
}

function Page() {
  const [wallet, setWallet] = useState(query.get('wallet') ?? '');
  const [slot, setSlot] = useState(query.get('slot') ?? '');
  // As pages often do: a new client, reader and callback with each rendering.
  const client = createPublicClient({ transport: http(`${location.origin}/rpc`, { retryCount: 0 }) });
  return (
    <GatewayProvider
      wallet={wallet === '' ? undefined : { address: wallet }}
      gatekeeperNetwork={query.get('gatekeeperNetwork') ?? ''}
      reader={viemReader(client, { contract, slot: BigInt(slot) })}
      requestPass={async (request) => {
        const answer = await fetch('/issue', { method: 'POST', body: JSON.stringify(request) });
        if (!answer.ok) throw new Error('refused');
        return answer.json();
      }}
      options={{ chainPollingIntervalMs: Number(query.get('interval') ?? 200) }}
    >
      <label>
        Wallet <input value={wallet} onChange={(event) => setWallet(event.target.value)} />
      </label>
      <label>
        Slot <input value={slot} onChange={(event) => setSlot(event.target.value)} />
      </label>
      <Facts />
      <PassGate>
        <p id="inside">Welcome.</p>
      </PassGate>
    </GatewayProvider>
  );
}

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <Page />
  </StrictMode>,
);
