import type { TestProject } from 'vitest/node';
import { type Gatepass, startGatepass } from '../../localnet/gatepass.ts';
import { findFreePort } from '../../localnet/state/ports.ts';
import { openStateFolder } from '../../localnet/state/state-folder.ts';
import { stopChildren } from '../../scripts/child-process.ts';

declare module 'vitest' {
  /** The facts of the service that these tests share. */
  interface ProvidedContext {
    gatepass: Gatepass['facts'];
    /** A free port. The service allows pages of this origin to call it (CORS). */
    pagesPort: number;
  }
}

/** Runs one service with its localnet for the tests of the client, the examples and the docs page. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const state = openStateFolder();
  const pagesPort = await findFreePort();
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
