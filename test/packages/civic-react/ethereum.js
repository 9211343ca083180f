import { GatewayProvider, GatewayStatus, useGateway } from '@civic/ethereum-gateway-react';
import { JsonRpcProvider, Wallet } from 'ethers';
import { createElement, useMemo } from 'react';
import { createRoot } from 'react-dom/client';

/** A dApp on an Ethereum-type network, as the README of the package describes it. */

const query = new URLSearchParams(location.search);

function Status() {
  return createElement('p', { id: 'status' }, GatewayStatus[useGateway().gatewayStatus]);
}

function Page() {
  const wallet = useMemo(() => {
    const signer = new Wallet(query.get('key'), new JsonRpcProvider(`${location.origin}/rpc`));
    return { address: signer.address, signer };
  }, []);
  const props = { gatekeeperNetwork: query.get('gatekeeperNetwork'), wallet };
  return createElement(GatewayProvider, props, createElement(Status));
}

createRoot(document.getElementById('root')).render(createElement(Page));
