import { type ReactNode, useInsertionEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import { GatewayContext, type GatewayProps } from './gateway-context.ts';
import { statusOf } from './gateway-status.ts';
import { gatewayTokenOf } from './gateway-token.ts';
import { type PassSnapshot, type RequestPass, watchPass } from './pass-watch.ts';
import type { PassReader } from './reader.ts';

/** A public key as the libraries of Solana have it. */
interface Base58 {
  toBase58(): string;
}

/** The wallet of the page: its address, or an object of a wallet library that has one. */
export type GatewayWallet =
  | string
  | { readonly address?: string | undefined; readonly publicKey?: Base58 | string | null | undefined };

export interface GatewayProviderProps {
  /** Undefined or null: no wallet is connected. Have the wallet sign a message first: anybody can name an address. */
  readonly wallet?: GatewayWallet | null | undefined;
  /** The public key of the gatekeeper network. */
  readonly gatekeeperNetwork?: string | Base58 | undefined;
  /** Where to look: `viemReader`, `kitReader` or `verifyReader`. Undefined: the page has no client yet. */
  readonly reader: PassReader | undefined;
  /** Asks your back end to issue or renew a pass. Undefined: the page cannot do that. */
  readonly requestPass?: RequestPass | undefined;
  /** A pass with no more seconds than this counts as `expiring`. Default: 0. */
  readonly expiryMarginSeconds?: number | undefined;
  readonly options?: { readonly chainPollingIntervalMs?: number | undefined } | undefined;
  readonly children?: ReactNode;
}

/** Follows the pass of the wallet for all components inside. */
export function GatewayProvider(props: GatewayProviderProps): ReactNode {
  const { reader, requestPass, expiryMarginSeconds, options, children } = props;
  const wallet = addressOf(props.wallet);
  const gatekeeperNetwork = textOf(props.gatekeeperNetwork);
  // Pages make readers and callbacks while they render. Only another place to look is a reason to begin again.
  const latest = useRef({ reader, requestPass });
  // Before the effects of the components inside, which may request a pass for the new wallet.
  useInsertionEffect(() => {
    latest.current = { reader, requestPass };
  });
  const place = reader?.key;
  const canRequest = requestPass !== undefined;
  const intervalMs = options?.chainPollingIntervalMs;
  const watch = useMemo(() => {
    const read: PassReader['read'] = (...query) =>
      latest.current.reader?.read(...query) ?? Promise.reject(new Error('the provider has no reader'));
    const ask: RequestPass = (request) =>
      latest.current.requestPass?.(request) ?? Promise.reject(new Error('the provider has no requestPass'));
    return watchPass({
      ...{ wallet, gatekeeperNetwork, intervalMs, expiryMarginSeconds },
      reader: place === undefined ? undefined : { key: place, read },
      requestPass: canRequest ? ask : undefined,
    });
  }, [wallet, gatekeeperNetwork, place, canRequest, intervalMs, expiryMarginSeconds]);
  const snapshot = useSyncExternalStore(watch.subscribe, watch.snapshot, watch.snapshot);
  const value = useMemo<GatewayProps>(
    () => ({
      gatewayStatus: statusOf(snapshot.state),
      gatewayToken: gatewayTokenOf(snapshot, wallet ?? '', gatekeeperNetwork ?? ''),
      requestGatewayToken: canRequest ? watch.request : undefined,
      reinitialize: watch.check,
      state: snapshot.state,
      isValid: snapshot.isValid,
      isRequested: snapshot.isRequested,
      secondsToExpiry: () => secondsToExpiry(snapshot),
      error: snapshot.error,
      wallet,
      gatekeeperNetwork,
    }),
    [snapshot, watch, wallet, gatekeeperNetwork, canRequest],
  );
  return <GatewayContext.Provider value={value}>{children}</GatewayContext.Provider>;
}

const SECOND_MS = 1_000;

function secondsToExpiry({ isValid, reading }: PassSnapshot): number | undefined {
  if (!isValid || reading?.expiry === undefined) return undefined;
  return Math.max(0, reading.expiry - Math.floor(Date.now() / SECOND_MS));
}

const textOf = (key: string | Base58 | undefined | null): string | undefined =>
  (typeof key === 'string' ? key : key?.toBase58()) || undefined;

function addressOf(wallet: GatewayWallet | null | undefined): string | undefined {
  if (typeof wallet === 'string') return wallet || undefined;
  return wallet?.address || textOf(wallet?.publicKey);
}
