import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Failure } from '../../terminal/failure.ts';
import type { Server } from './runtime.ts';

export interface Request {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The requests of one load, and the server that gets them. */
export interface Loaded {
  readonly server: Pick<Server, 'baseUrl' | 'pid'>;
  readonly requests: readonly Request[];
}

export interface Job {
  readonly url: string;
  readonly requests: readonly Request[];
  readonly connections: number;
  /** Seconds of repetition; undefined: each request once. */
  readonly seconds?: number | undefined;
  /** Requests per second over all connections; undefined: as many as the server answers. */
  readonly rate?: number | undefined;
}

export interface Load {
  /** Number of answers with a status of 2xx, in total and per second. */
  readonly answered: number;
  readonly perSecond: number;
  readonly refused: number;
  readonly errors: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

/** The sender of the load: autocannon, in a separate process. */
export interface Caller {
  /** Throws Failure if an answer was not 2xx, because refusals are quick and would count as speed. */
  send(job: Job): Promise<Load>;
  stop(): Promise<void>;
}

/** Enough connections to keep a server busy; more would only wait. */
export const CONNECTIONS_COUNT = 16;

export async function startCaller(): Promise<Caller> {
  const program: ChildProcess = fork(join(import.meta.dirname, 'load-process.ts'), { execArgv: ['--no-warnings'] });
  const ended = once(program, 'exit');
  await once(program, 'spawn');
  return {
    async send(job) {
      program.send(job);
      const [load] = (await Promise.race([once(program, 'message'), ended])) as [Load | number | null];
      if (typeof load !== 'object' || load === null) throw new Failure('the process that asks has ended');
      if (load.refused + load.errors > 0) {
        throw new Failure(`${job.url}: ${load.refused} answers were refusals, ${load.errors} failed`);
      }
      return load;
    },
    async stop() {
      program.kill();
      await ended;
    },
  };
}
