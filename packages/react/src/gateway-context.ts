import { createContext, useContext } from 'react';
import type { GatewayToken } from './gateway-token.ts';
import type { PassState } from './pass-watch.ts';

/** The values of `useGateway()`. The names of the first group are those of Civic's packages. */
export interface GatewayProps {
  readonly gatewayStatus: number;
  readonly gatewayToken: GatewayToken | undefined;
  /** Asks the back end for a pass or a renewal. Undefined: the provider has no `requestPass`. */
  readonly requestGatewayToken: (() => Promise<void>) | undefined;
  /** Reads again at once. */
  readonly reinitialize: () => void;

  readonly state: PassState;
  /** Whether to admit the wallet. */
  readonly isValid: boolean;
  /** Whether a request has not ended. A valid pass keeps its state during a renewal. */
  readonly isRequested: boolean;
  /** Returns the seconds to the expiry by the clock of the visitor, at least 0; undefined if the pass never expires or is not valid. */
  readonly secondsToExpiry: () => number | undefined;
  readonly error: unknown;
  /** The address of the wallet, and the public key of the gatekeeper network. */
  readonly wallet: string | undefined;
  readonly gatekeeperNetwork: string | undefined;
}

export const GatewayContext = createContext<GatewayProps | undefined>(undefined);

/** Returns the pass of the wallet. Throws outside of a `GatewayProvider`. */
export function useGateway(): GatewayProps {
  const gateway = useContext(GatewayContext);
  if (gateway === undefined) throw new Error('useGateway() works only inside a GatewayProvider');
  return gateway;
}
