import type { JWK } from 'jose';
import type { WorldFacts } from './world/world-facts.ts';

declare module 'vitest' {
  /** What the tests in the Worker runtime know of the world that runs beside them. */
  interface ProvidedContext {
    /** How many stories are told at random of each chain, and from which seed. */
    stories: { readonly runs: number; readonly seed: number };
    /** Variables and secrets of a Worker of that world. */
    environment: Record<string, string>;
    world: WorldFacts;
    /** Its key set, and its private key (ES256, key id "key"): it signs whatever a test wants. */
    specialIssuer: { readonly jwksUrl: string; readonly privateKey: JWK };
  }
}
