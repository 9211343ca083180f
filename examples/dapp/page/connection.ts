import { useCallback, useEffect, useRef, useState } from 'react';
import type { PageSettings } from './settings.ts';
import { watchEthereumWallets } from './wallets/ethereum.ts';
import { watchSolanaWallets } from './wallets/solana.ts';
import type { ConnectedWallet, WalletProgram } from './wallets/wallet.ts';

/** Returns the wallet programs of the browser for the networks of the dApp. */
export function useWalletPrograms({ networks }: PageSettings): readonly WalletProgram[] {
  const [ethereum, setEthereum] = useState<readonly WalletProgram[]>([]);
  const [solana, setSolana] = useState<readonly WalletProgram[]>([]);
  const onSolana = networks.find(({ chain }) => chain === 'solana')?.name;
  useEffect(() => watchEthereumWallets(setEthereum), []);
  useEffect(() => watchSolanaWallets(onSolana, setSolana), [onSolana]);
  const chains = new Set(networks.map(({ chain }) => chain));
  return [...ethereum, ...solana].filter(({ chain }) => chains.has(chain));
}

export interface Connection {
  readonly wallet: ConnectedWallet | undefined;
  /** Why the last attempt to connect failed. */
  readonly fault: string | undefined;
  connect(program: WalletProgram): Promise<void>;
  disconnect(): void;
}

/** Holds the connected wallet, and follows its account and its network. */
export function useConnection(): Connection {
  const [wallet, setWallet] = useState<ConnectedWallet>();
  const [fault, setFault] = useState<string>();
  const stop = useRef<() => void>(undefined);
  /** Grows with each attempt: a wallet that answers late must not replace a newer one. */
  const attempt = useRef(0);

  const disconnect = useCallback(() => {
    attempt.current += 1;
    stop.current?.();
    stop.current = undefined;
    setWallet(undefined);
  }, []);
  useEffect(() => disconnect, [disconnect]);

  const connect = useCallback(
    async (program: WalletProgram) => {
      disconnect();
      setFault(undefined);
      const own = attempt.current;
      const onChange = (changed: ConnectedWallet | undefined) => {
        if (own === attempt.current) setWallet(changed);
      };
      try {
        const stopListening = await program.connect(onChange);
        if (own === attempt.current) stop.current = stopListening;
        else stopListening();
      } catch (error) {
        if (own === attempt.current) setFault(error instanceof Error ? error.message : String(error));
      }
    },
    [disconnect],
  );
  return { wallet, fault, connect, disconnect };
}
