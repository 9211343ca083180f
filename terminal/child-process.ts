import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { descendantsOf, filterRunning } from './process-table.ts';

/** A program that this process started and must stop. */
export interface Child {
  readonly pid: number;
  /** Resolves to the exit code when the program has ended, or to undefined if a signal ended it. */
  readonly ended: Promise<number | undefined>;
  /** The last lines that it printed, in order. */
  readonly lastLines: readonly string[];
  /** Terminates the program and its own children. Kills them if they run for five more seconds. */
  stop(): Promise<void>;
}

interface ChildOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** A text that the program reads from the file `INPUT_FILE`. */
  readonly input?: string | undefined;
  /** Receives every line that it prints, on either stream, without colors. */
  readonly onLine?: (line: string) => void;
}

/** The path at which a program finds its input, on Linux and macOS. */
export const INPUT_FILE = '/dev/fd/3';

const STOP_TIMEOUT_MS = 5000;
const LAST_LINES_MAX_COUNT = 30;
const running = new Set<Child>();

// However this process ends, the programs that it started must end too. Not SIGKILL, because that would leave the children's own
// children running.
process.once('exit', () => {
  for (const { pid } of running) sendSignal(pid, 'SIGTERM');
});

/** Starts a program in the group of this process, so that Ctrl-C reaches it too. Rejects if there is no such program. */
export async function startChild(program: string, args: readonly string[], options: ChildOptions = {}): Promise<Child> {
  const { env, cwd, input, onLine } = options;
  const file = input === undefined ? undefined : openUnnamedFile(input);
  const started = spawn(program, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe', ...(file === undefined ? [] : [file])],
  }) as ChildProcessByStdio<null, Readable, Readable>;
  if (file !== undefined) closeSync(file);
  const lastLines: string[] = [];
  for (const stream of [started.stdout, started.stderr]) {
    createInterface(stream).on('line', (printed) => {
      const line = stripVTControlCharacters(printed);
      lastLines.push(line);
      lastLines.splice(0, lastLines.length - LAST_LINES_MAX_COUNT);
      onLine?.(line);
    });
  }
  // Not `exit`, because the last output may arrive after that.
  const ended = new Promise<number | undefined>((resolve) => {
    started.once('close', (code) => resolve(code ?? undefined));
  });
  await once(started, 'spawn');

  const child: Child = { pid: started.pid as number, ended, lastLines, stop: () => stopChild(child) };
  running.add(child);
  ended.then(() => running.delete(child));
  return child;
}

/**
 * Returns an open file with the text. It has lost its name before it gets the text, so no end of a process leaves the text behind. Not a
 * pipe: Node's pipes are sockets on Linux, and a program cannot open those by a path.
 */
function openUnnamedFile(text: string): number {
  const folder = mkdtempSync(join(tmpdir(), 'gatepass-input-'));
  const file = openSync(join(folder, 'input'), 'wx+', 0o600);
  rmSync(folder, { recursive: true });
  // A program on macOS begins to read at this process's place in the file, which a write at a position does not move.
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length; )
    written += writeSync(file, bytes, written, bytes.length - written, written);
  return file;
}

/** Stops all programs that this process started and that still run. */
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
    // The program may just have replaced one of its children that ended.
    await lookUp();
  }
  for (const pid of [...(await filterRunning([...family])), child.pid]) sendSignal(pid, 'SIGKILL');
  await child.ended;
}

function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has ended meanwhile.
  }
}
