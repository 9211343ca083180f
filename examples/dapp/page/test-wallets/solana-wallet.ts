import { createKeyPairFromPrivateKeyBytes, getAddressFromPublicKey, getBase16Encoder, signBytes } from '@solana/kit';
import { storedSeeds } from './keys.ts';
import type { TestWallet } from './test-wallet.ts';

/** A wallet for tests that registers itself by the Wallet Standard, as an extension of the browser does. */

const ACCOUNTS = 2;
const CHAINS = ['solana:devnet', 'solana:mainnet'] as const;

export async function installSolanaWallet(): Promise<TestWallet> {
  const pairs = await Promise.all(
    storedSeeds('test-wallet-solana', ACCOUNTS).map((seed) =>
      createKeyPairFromPrivateKeyBytes(new Uint8Array(getBase16Encoder().encode(seed))),
    ),
  );
  const accounts = await Promise.all(
    pairs.map(async ({ publicKey }) => ({
      address: (await getAddressFromPublicKey(publicKey)) as string,
      publicKey: new Uint8Array(await crypto.subtle.exportKey('raw', publicKey)),
      chains: CHAINS,
      features: ['solana:signMessage'] as const,
    })),
  );
  const listeners = new Set<(change: { accounts: readonly (typeof accounts)[number][] }) => void>();
  let selected = 0;
  let connected = false;
  let rejectsNext = false;
  const shown = () => (connected ? accounts.slice(selected, selected + 1) : []);
  const report = () => {
    for (const listener of listeners) listener({ accounts: shown() });
  };
  const demandConsent = () => {
    if (!rejectsNext) return;
    rejectsNext = false;
    throw new Error('the person rejected the request');
  };

  const wallet = {
    version: '1.0.0',
    name: 'Test wallet (Solana)',
    icon: 'data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=',
    chains: CHAINS,
    get accounts() {
      return shown();
    },
    features: {
      'standard:connect': {
        version: '1.0.0',
        async connect() {
          demandConsent();
          connected = true;
          return { accounts: shown() };
        },
      },
      'standard:events': {
        version: '1.0.0',
        on(_event: 'change', listener: (change: { accounts: readonly (typeof accounts)[number][] }) => void) {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
      },
      'solana:signMessage': {
        version: '1.1.0',
        async signMessage(...inputs: readonly { account: { address: string }; message: Uint8Array }[]) {
          demandConsent();
          return Promise.all(
            inputs.map(async ({ account, message }) => {
              const pair = pairs[accounts.findIndex(({ address }) => address === account.address)];
              if (!connected || pair === undefined) throw new Error('connect this account first');
              return { signedMessage: message, signature: await signBytes(pair.privateKey, message) };
            }),
          );
        },
      },
    },
  };

  // The page may listen already, or only later: the standard has an event for each case.
  const callback = ({ register }: { register: (...wallets: unknown[]) => unknown }) => register(wallet);
  window.dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: callback }));
  window.addEventListener('wallet-standard:app-ready', (event) => callback((event as CustomEvent).detail));
  return {
    chain: 'solana',
    nextAccount() {
      selected = (selected + 1) % accounts.length;
      if (connected) report();
    },
    disconnect() {
      connected = false;
      report();
    },
    rejectNext() {
      rejectsNext = true;
    },
  };
}
