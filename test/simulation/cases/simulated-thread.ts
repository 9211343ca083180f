import { parentPort } from 'node:worker_threads';
import '../platform/isolate.ts';
import type { Script } from './script.ts';

/** A thread of its own, because the imitation replaces globals, and the loader of modules. */

// It must load after the loader has changed.
const { playSimulated } = await import('./play-simulated.ts');

parentPort?.on('message', async ({ script, seed }: { readonly script: Script; readonly seed: number }) => {
  const answer = await playSimulated(script, seed).then(
    (outcomes) => ({ outcomes }),
    (fault) => ({ fault: String(fault?.stack ?? fault) }),
  );
  parentPort?.postMessage(answer);
});
