import type { JWK } from 'jose';
import type { KmsFacts } from '../../../tools/localnet/kms/credentials.ts';
import type { LocalnetFacts } from '../../../tools/localnet/state/localnet-facts.ts';
import type { Form } from '../../form.ts';

/** The systems outside the Worker, for one test file at a time. */
export interface LentLocalnet {
  readonly localnet: LocalnetFacts;
  /** Variables and secrets of a Worker of that localnet. */
  readonly environment: Record<string, string>;
  /** A key management service that the environment does not name. It takes faults at `/localnet/faults`. */
  readonly kms: KmsFacts;
}

declare module 'vitest' {
  /** The facts of the localnet for tests in the Worker runtime. */
  interface ProvidedContext {
    /** The number of random stories per chain, and their seed. */
    stories: { readonly runs: number; readonly seed: number };
    form: Form;
    /** All localnets. A test knows the one that its file borrows. */
    localnets: readonly LentLocalnet[];
    localnet: LentLocalnet['localnet'];
    environment: LentLocalnet['environment'];
    kms: LentLocalnet['kms'];
    /** Its key set, and its private key (ES256, key id "key"), which signs any token of a test. */
    specialIssuer: { readonly jwksUrl: string; readonly privateKey: JWK };
    /** URL of a receiver of webhooks, with one channel per path. */
    webhookReceiver: string;
  }
}
