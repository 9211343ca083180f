import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { createConfig, http, WagmiProvider } from 'wagmi';
import { mainnet, sepolia } from 'wagmi/chains';
import { Door } from './node_modules/.guide/wagmi.tsx';

/** A page with the example of the guide, whose wallet is on another chain. */

const url = `${location.origin}/rpc`;
const transports = { [mainnet.id]: http(`${location.origin}/other-chain`), [sepolia.id]: http(url) };
// The localnet lacks the contract through which wagmi asks several questions at once.
const config = createConfig({ chains: [mainnet, sepolia], transports, batch: { multicall: false } });
const wallet = new URLSearchParams(location.search).get('wallet');

const door = createElement(Door, { wallet }, createElement('p', { id: 'inside' }, 'Inside'));
const queries = new QueryClient();
const page = createElement(QueryClientProvider, { client: queries }, door);
createRoot(document.getElementById('root')).render(createElement(WagmiProvider, { config }, page));

/** The state of the only query, for the proof: a page that refuses does not say why. */
globalThis.stateOfQuery = () => {
  const [{ state }] = queries.getQueryCache().getAll();
  return `${state.status} ${state.data}`;
};
