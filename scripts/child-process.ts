import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { descendantsOf, filterRunning } from './process-table.ts';

/** A program that was started and that nobody else looks after. */
export interface Child {
  readonly pid: number;
  /** Resolves when the program has ended: its exit code, or undefined when a signal ended it. */
  readonly ended: Promise<number | undefined>;
  /** The last lines it printed, in order. */
  readonly lastLines: readonly string[];
  /** Asks it and its own children to end, and makes them when they do not within five seconds. */
  stop(): Promise<void>;
}

interface ChildOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Gets every line it prints, on either stream, without colours. */
  readonly onLine?: (line: string) => void;
}

const STOP_TIMEOUT_MS = 5000;
const LAST_LINES_MAX_COUNT = 30;
const running = new Set<Child>();

// The last resort: however this process ends, what it started does not stay. Not SIGKILL: that would leave the
// children's own children behind.
process.once('exit', () => {
  for (const { pid } of running) sendSignal(pid, 'SIGTERM');
});

/** Starts a program in this process's own group, so that Ctrl-C reaches it too. Throws when there is no such program. */
export async function startChild(program: string, args: readonly string[], options: ChildOptions = {}): Promise<Child> {
  const { env, cwd, onLine } = options;
  const started = spawn(program, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const lastLines: string[] = [];
  for (const stream of [started.stdout, started.stderr]) {
    createInterface(stream).on('line', (printed) => {
      const line = stripVTControlCharacters(printed);
      lastLines.push(line);
      lastLines.splice(0, lastLines.length - LAST_LINES_MAX_COUNT);
      onLine?.(line);
    });
  }
  // Not `exit`: what it printed last may come after that.
  const ended = new Promise<number | undefined>((resolve) => {
    started.once('close', (code) => resolve(code ?? undefined));
  });
  await once(started, 'spawn');

  const child: Child = { pid: started.pid as number, ended, lastLines, stop: () => stopChild(child) };
  running.add(child);
  ended.then(() => running.delete(child));
  return child;
}

/** Stops all that was started and still runs. */
export async function stopChildren(): Promise<void> {
  await Promise.all([...running].map((child) => child.stop()));
}

async function stopChild(child: Child): Promise<void> {
  const family = new Set<number>();
  const lookUp = async () => {
    for (const { pid } of await descendantsOf(child.pid)) family.add(pid);
  };
  await lookUp();
  if (running.has(child)) sendSignal(child.pid, 'SIGTERM');
  for (const deadline = Date.now() + STOP_TIMEOUT_MS; Date.now() < deadline; await sleep(30)) {
    if (!running.has(child) && (await filterRunning([...family])).length === 0) return;
    // It may just have replaced a child of its own that ended.
    await lookUp();
  }
  for (const pid of [...(await filterRunning([...family])), child.pid]) sendSignal(pid, 'SIGKILL');
  await child.ended;
}

function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended in the meantime.
  }
}
