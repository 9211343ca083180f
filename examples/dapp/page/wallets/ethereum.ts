import { createStore, type EIP6963ProviderDetail } from 'mipd';
import { type EIP1193Provider, getAddress, numberToHex, stringToHex } from 'viem';
import { CHAINS } from '../chains.ts';
import type { ConnectedWallet, WalletProgram } from './wallet.ts';

/** Wallets of Ethereum-type networks: EIP-1193, found by EIP-6963. */

const networkOf = (chainId: string) =>
  Object.entries(CHAINS).find(([, { id }]) => id === Number.parseInt(chainId, 16))?.[0];

const store = createStore();

/** Calls back with the wallet programs of the page, now and when one more announces itself. Returns a function that stops it. */
export function watchEthereumWallets(onPrograms: (programs: readonly WalletProgram[]) => void): () => void {
  const report = (details: readonly EIP6963ProviderDetail[]) => onPrograms(details.map(programOf));
  report(store.getProviders());
  return store.subscribe(report);
}

function programOf({ info, provider }: EIP6963ProviderDetail): WalletProgram {
  return {
    id: info.uuid,
    name: info.name,
    chain: 'ethereum',
    async connect(onChange) {
      const accounts = await provider.request({ method: 'eth_requestAccounts' });
      let current = { account: accounts[0], chainId: String(await provider.request({ method: 'eth_chainId' })) };
      const report = () => onChange(current.account && walletOf(provider, info.name, current.account, current.chainId));
      const onAccounts = ([account]: readonly `0x${string}`[]) => {
        current = { ...current, account };
        report();
      };
      const onChain = (chainId: string) => {
        current = { ...current, chainId };
        report();
      };
      provider.on('accountsChanged', onAccounts);
      provider.on('chainChanged', onChain);
      report();
      return () => {
        provider.removeListener('accountsChanged', onAccounts);
        provider.removeListener('chainChanged', onChain);
      };
    },
  };
}

function walletOf(
  provider: EIP1193Provider,
  program: string,
  account: `0x${string}`,
  chainId: string,
): ConnectedWallet {
  return {
    chain: 'ethereum',
    program,
    walletAddress: getAddress(account),
    network: networkOf(chainId),
    sign: (message) => provider.request({ method: 'personal_sign', params: [stringToHex(message), account] }),
    async switchTo(network) {
      const id = CHAINS[network]?.id;
      if (id === undefined) throw new Error(`no chain id for ${network}`);
      await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId: numberToHex(id) }] });
    },
  };
}
