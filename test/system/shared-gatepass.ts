import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { stopChildren } from '../../terminal/child-process.ts';
import { type Gatepass, startGatepass } from '../../tools/localnet/gatepass.ts';
import { findFreePort } from '../../tools/localnet/state/ports.ts';
import { openStateFolder } from '../../tools/localnet/state/state-folder.ts';
import { buildWorker, prepareDatabase } from '../../tools/localnet/worker.ts';
import { openPreparedState } from './prepared-state.ts';

declare module 'vitest' {
  /** The facts of the service that the system tests share. */
  interface ProvidedContext {
    gatepass: Gatepass['facts'];
    /** A folder with a prepared database for tests to copy, because wrangler takes five seconds to prepare one. */
    preparedState: string;
    /** The configuration of the Worker, built once. */
    builtWorker: string;
    /** A free port. The service allows pages of this origin to call it (CORS). */
    pagesPort: number;
  }
}

/** Runs one service with its localnet for the tests of the client, the examples and the docs page. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const prepared = openStateFolder();
  const [config] = await Promise.all([buildWorker(join(prepared.folder, 'built')), prepareDatabase(prepared.folder)]);
  provide('preparedState', prepared.folder);
  provide('builtWorker', config);
  const state = openPreparedState(prepared.folder);
  const pagesPort = await findFreePort();
  const variables = { CORS_ORIGINS: `http://127.0.0.1:${pagesPort}` };
  const gatepass = await startGatepass({ folder: state.folder, hasDatabase: true, config, variables });
  provide('gatepass', gatepass.facts);
  provide('pagesPort', pagesPort);
  return async () => {
    await gatepass.stop();
    await stopChildren();
    state.close();
    prepared.close();
  };
}
