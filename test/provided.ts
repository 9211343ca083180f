import type { JWK } from 'jose';
import type { SeededPartner } from './world/partners.ts';

/** What the tests in the Worker runtime know of the world that runs beside them. URLs end without a slash. */
export interface ProvidedWorld {
  readonly issuer: string;
  readonly tokenUrl: string;
  readonly jwksUrl: string;
  readonly audience: string;
  readonly partners: readonly SeededPartner[];
  /** JSON-RPC of each network's node, and the gateway contract there. */
  readonly rpc: Readonly<Record<string, string>>;
  readonly gatewayToken: Readonly<Record<string, string>>;
  /** Address of the key that issues the passes. */
  readonly gatekeeper: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    /** Variables and secrets of a Worker of that world. */
    environment: Record<string, string>;
    world: ProvidedWorld;
    /** Its key set, and its private key (JWK, ES256, kid "key"): it signs whatever a test wants. */
    specialIssuer: { readonly jwksUrl: string; readonly privateKey: JWK };
  }
}
