import type { TestProject } from 'vitest/node';
import { type Gatepass, startGatepass } from '../../../localnet/gatepass.ts';
import { freePort } from '../../../localnet/state/ports.ts';
import { openState } from '../../../localnet/state/state-folder.ts';
import { stopChildren } from '../../../scripts/child-process.ts';

declare module 'vitest' {
  /** What all tests that do as a partner does know of the one service they share. */
  interface ProvidedContext {
    gatepass: Gatepass['facts'];
    /** Of the origin that the service lets call it from pages; nobody listens there yet. */
    pagesPort: number;
  }
}

/** Runs the service and its localnet while the tests run that do as a partner does: like partners, they share it. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const state = openState();
  const pagesPort = await freePort();
  const variables = { CORS_ORIGINS: `http://127.0.0.1:${pagesPort}` };
  const gatepass = await startGatepass({ folder: state.folder, variables });
  provide('gatepass', gatepass.facts);
  provide('pagesPort', pagesPort);
  return async () => {
    await gatepass.stop();
    await stopChildren();
    state.close();
  };
}
