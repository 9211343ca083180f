import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LocalnetFacts } from '../../../localnet/state/localnet-facts.ts';
import { freePort } from '../../../localnet/state/ports.ts';
import { startWorker, type Worker } from '../../../localnet/worker.ts';
import { Failure } from '../../../scripts/failure.ts';
import { descendantsOf, stillRunning } from '../../../scripts/process-table.ts';

/** A Worker that is killed and started again, on the same port and the same state. */
export interface MortalWorker {
  readonly baseUrl: string;
  /** Everything it printed in all its lives. */
  readonly logFile: string;
  /** SIGKILL to wrangler and both its runtimes at once; resolves when none of them runs any more. */
  kill(): Promise<void>;
  /** Resolves when it answers again. */
  revive(): Promise<void>;
  stop(): Promise<void>;
}

interface MortalOptions {
  readonly localnet: LocalnetFacts;
  /** Its database must have been prepared. */
  readonly state: string;
  readonly rpc: Readonly<Record<string, readonly string[]>>;
}

const ATTEMPTS = 3;

export async function startMortalWorker({ localnet, state, rpc }: MortalOptions): Promise<MortalWorker> {
  const port = await freePort();
  const logFile = join(state, 'worker-lives.log');
  let lines: string[] = [];
  const writeLines = async () => {
    const written = lines;
    lines = [];
    await appendFile(logFile, written.map((line) => `${line}\n`).join(''));
  };

  const start = async (): Promise<Worker> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await startWorker({ localnet, state, port, rpc, onLine: (line) => lines.push(line) });
      } catch (failure) {
        if (!(failure instanceof Failure) || attempt === ATTEMPTS) throw failure;
        // Somebody else may have taken the inspector's port.
        await sleep(500);
      }
    }
  };

  let worker = await start();
  return {
    baseUrl: worker.baseUrl,
    logFile,
    async kill() {
      const pids = [worker.pids.worker as number, ...(await descendantsOf(worker.pids.worker as number)).map(pidOf)];
      for (const pid of pids) killHard(pid);
      await worker.ended;
      while ((await stillRunning(pids)).length > 0) await sleep(20);
      lines.push('--- killed ---');
      await writeLines();
    },
    async revive() {
      worker = await start();
    },
    async stop() {
      await worker.stop();
      await writeLines();
    },
  };
}

const pidOf = ({ pid }: { readonly pid: number }) => pid;

function killHard(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
