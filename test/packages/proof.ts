import type { Gatepass } from '../../tools/localnet/gatepass.ts';
import type { Browser } from '../system/chromium.ts';

/** Compares the behavior of the packages in a folder with the project's statements about it. Resolves to the differences, as sentences. */
export type Proof = (environment: {
  readonly facts: Gatepass['facts'];
  readonly browser: Browser;
  /** Whether the proof records what it sees instead of comparing it. */
  readonly isToWrite: boolean;
}) => Promise<readonly string[]>;
