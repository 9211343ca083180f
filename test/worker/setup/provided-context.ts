import type { JWK } from 'jose';
import type { LocalnetFacts } from '../../../localnet/state/localnet-facts.ts';

/** What lies outside the Worker, for one file of tests at a time. */
export interface LentLocalnet {
  readonly localnet: LocalnetFacts;
  /** Variables and secrets of a Worker of that localnet. */
  readonly environment: Record<string, string>;
}

declare module 'vitest' {
  /** What the tests in the Worker runtime know of the localnet that runs beside them. */
  interface ProvidedContext {
    /** The number of random stories per chain, and their seed. */
    stories: { readonly runs: number; readonly seed: number };
    /** Whether the long forms run (`npm run test:long`). */
    isLong: boolean;
    /** All the localnets there are; a test knows the one that is lent to its file. */
    localnets: readonly LentLocalnet[];
    localnet: LentLocalnet['localnet'];
    environment: LentLocalnet['environment'];
    /** Its key set, and its private key (ES256, key id "key"): it signs whatever a test wants. */
    specialIssuer: { readonly jwksUrl: string; readonly privateKey: JWK };
  }
}
