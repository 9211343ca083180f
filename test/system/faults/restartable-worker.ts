import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../../../terminal/failure.ts';
import { descendantsOf, filterRunning } from '../../../terminal/process-table.ts';
import type { LocalnetFacts } from '../../../tools/localnet/state/localnet-facts.ts';
import { findFreePort } from '../../../tools/localnet/state/ports.ts';
import { startWorker, type Worker } from '../../../tools/localnet/worker.ts';

/** A Worker that a test can kill and restart on the same port and the same state. */
export interface RestartableWorker {
  readonly baseUrl: string;
  /** The file with all lines that the Worker printed since the first start. */
  readonly logFile: string;
  /** Sends SIGKILL to wrangler and both runtimes at once. Resolves when all of them have ended. */
  kill(): Promise<void>;
  /** Starts the Worker again. Resolves when it answers. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

interface RestartableOptions {
  readonly localnet: LocalnetFacts;
  /** The state folder, with a prepared database. */
  readonly state: string;
  readonly rpc: Readonly<Record<string, string | readonly string[]>>;
  /** Configuration of a built Worker. */
  readonly config: string;
  /** Variables of the Worker, in addition to its usual ones. */
  readonly variables?: Readonly<Record<string, string>>;
}

const START_ATTEMPTS = 3;

export async function startRestartableWorker(options: RestartableOptions): Promise<RestartableWorker> {
  const port = await findFreePort();
  const logFile = join(options.state, 'worker-lives.log');
  let lines: string[] = [];
  const writeLines = async () => {
    const written = lines;
    lines = [];
    await appendFile(logFile, written.map((line) => `${line}\n`).join(''));
  };

  const start = async (): Promise<Worker> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await startWorker({ ...options, port, onLine: (line) => lines.push(line) });
      } catch (failure) {
        if (!(failure instanceof Failure) || attempt === START_ATTEMPTS) throw failure;
        // Another process may have taken the inspector's port.
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
      for (const pid of pids) killProcess(pid);
      await worker.ended;
      while ((await filterRunning(pids)).length > 0) await sleep(20);
      lines.push('--- killed ---');
      await writeLines();
    },
    async restart() {
      worker = await start();
    },
    async stop() {
      await worker.stop();
      await writeLines();
    },
  };
}

const pidOf = ({ pid }: { readonly pid: number }) => pid;

function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}
