import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Failure } from '../scripts/failure.ts';
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
  /** For so long, over and over; undefined: each request once. */
  readonly seconds?: number | undefined;
}

export interface Load {
  /** Answers with a status of 2xx, all of them and by the second. */
  readonly answered: number;
  readonly perSecond: number;
  readonly refused: number;
  readonly errors: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

/** Who asks: autocannon, in a process of its own. */
export interface Caller {
  /** Throws Failure when an answer was not 2xx: a refusal is quick, and would count as speed. */
  send(job: Job): Promise<Load>;
  stop(): Promise<void>;
}

/** As many as keep a server busy; more would only wait. */
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
