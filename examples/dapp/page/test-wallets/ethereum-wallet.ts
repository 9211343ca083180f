import { announceProvider } from 'mipd';
import { type EIP1193Provider, isHex, numberToHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { baseSepolia, sepolia } from 'viem/chains';
import { storedSeeds } from './keys.ts';
import type { TestWallet } from './test-wallet.ts';

/** A wallet for tests that speaks EIP-1193 and announces itself by EIP-6963, as an extension of the browser does. */

const ACCOUNTS = 2;
const CHAINS: readonly number[] = [sepolia.id, baseSepolia.id];
/** The codes of EIP-1193 and EIP-3326. */
const USER_REJECTED = 4001;
const UNAUTHORIZED = 4100;
const UNSUPPORTED = 4200;
const UNKNOWN_CHAIN = 4902;

class ProviderError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export function installEthereumWallet(): TestWallet {
  const accounts = storedSeeds('test-wallet-ethereum', ACCOUNTS).map((seed) => privateKeyToAccount(`0x${seed}`));
  const listeners = new Map<string, Set<(value: never) => void>>();
  let selected = 0;
  let chainId: number = CHAINS[0] as number;
  let connected = false;
  let rejectsNext = false;

  const account = () => accounts[selected] as (typeof accounts)[number];
  const emit = (event: string, value: unknown) => {
    for (const listener of listeners.get(event) ?? []) listener(value as never);
  };
  const shown = () => (connected ? [account().address] : []);
  const changeChain = (id: number) => {
    chainId = id;
    emit('chainChanged', numberToHex(id));
  };
  const demandConsent = () => {
    if (!rejectsNext) return;
    rejectsNext = false;
    throw new ProviderError(USER_REJECTED, 'the person rejected the request');
  };

  const provider = {
    async request({ method, params = [] }: { method: string; params?: readonly unknown[] }): Promise<unknown> {
      switch (method) {
        case 'eth_requestAccounts':
          demandConsent();
          connected = true;
          return shown();
        case 'eth_accounts':
          return shown();
        case 'eth_chainId':
          return numberToHex(chainId);
        case 'personal_sign': {
          const [message, address] = params;
          if (!connected || String(address).toLowerCase() !== account().address.toLowerCase())
            throw new ProviderError(UNAUTHORIZED, 'connect this account first');
          demandConsent();
          return account().signMessage({ message: isHex(message) ? { raw: message } : String(message) });
        }
        case 'wallet_switchEthereumChain': {
          const id = Number((params[0] as { chainId?: string } | undefined)?.chainId);
          if (!CHAINS.includes(id)) throw new ProviderError(UNKNOWN_CHAIN, 'this wallet does not know that chain');
          demandConsent();
          changeChain(id);
          return null;
        }
        default:
          throw new ProviderError(UNSUPPORTED, `${method} is not supported`);
      }
    },
    on(event: string, listener: (value: never) => void) {
      listeners.set(event, (listeners.get(event) ?? new Set()).add(listener));
      return provider;
    },
    removeListener(event: string, listener: (value: never) => void) {
      listeners.get(event)?.delete(listener);
      return provider;
    },
  };

  const info = {
    uuid: crypto.randomUUID(),
    name: 'Test wallet (Ethereum)',
    icon: 'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg"/>' as const,
    rdns: 'example.gatepass.test-wallet',
  };
  announceProvider({ info, provider: provider as unknown as EIP1193Provider });
  return {
    chain: 'ethereum',
    nextAccount() {
      selected = (selected + 1) % accounts.length;
      if (connected) emit('accountsChanged', shown());
    },
    nextNetwork: () => changeChain(CHAINS[(CHAINS.indexOf(chainId) + 1) % CHAINS.length] as number),
    unknownNetwork: () => changeChain(31_337),
    disconnect() {
      connected = false;
      emit('accountsChanged', []);
    },
    rejectNext() {
      rejectsNext = true;
    },
  };
}
