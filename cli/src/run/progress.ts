import { SingleBar } from 'cli-progress';
import type { Output } from '../output.ts';

/** How far a run is. */
export interface Progress {
  readonly total: number;
  /** Passes whose request the service has stored, with those that ended. */
  readonly accepted: number;
  readonly settled: number;
  readonly failed: number;
}

export interface ProgressReport {
  update(progress: Progress): void;
  /** Prints a line between the progress. */
  note(line: string): void;
  stop(): void;
}

const LINE_INTERVAL_MS = 5_000;

/** Reports progress on a terminal as a bar, otherwise as a line every five seconds. */
export function reportProgress(output: Output): ProgressReport {
  return output.stream.isTTY ? reportAsBar(output) : reportAsLines((line) => output.print(line));
}

function reportAsBar({ stream, print }: Output): ProgressReport {
  const bar = new SingleBar({ stream, format: '[{bar}] {percentage} % {text}', barsize: 30, hideCursor: true });
  const startedMs = Date.now();
  let first: Progress | undefined;
  return {
    update(progress) {
      first ??= progress;
      const payload = { text: textOf(progress, first, startedMs, Date.now()) };
      if (!bar.isActive) bar.start(progress.total, 0, payload);
      bar.update(progress.settled + progress.failed, payload);
    },
    note(line) {
      // The bar draws itself again below the line.
      stream.write('\r\u001b[K');
      print(line);
    },
    stop: () => bar.stop(),
  };
}

/** @param write Receives each line. */
export function reportAsLines(write: (line: string) => void, now: () => number = Date.now): ProgressReport {
  const startedMs = now();
  let lastMs = startedMs;
  let first: Progress | undefined;
  return {
    update(progress) {
      first ??= progress;
      if (now() - lastMs < LINE_INTERVAL_MS) return;
      lastMs = now();
      write(textOf(progress, first, startedMs, now()));
    },
    note: write,
    stop: () => undefined,
  };
}

function textOf(
  { total, accepted, settled, failed }: Progress,
  first: Progress,
  startedMs: number,
  now: number,
): string {
  const seconds = Math.max(0.001, (now - startedMs) / 1000);
  const ended = settled + failed;
  // A resumed run must not count the work of the run before.
  const rate = (ended - first.settled - first.failed) / seconds;
  const left = rate > 0 ? `${durationOf((total - ended) / rate)} left` : 'remaining time unknown';
  return `${accepted} of ${total} accepted, ${settled} settled, ${failed} failed, ${rate.toFixed(1)} per second, ${left}`;
}

export function durationOf(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  if (minutes >= 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return minutes > 0 ? `${minutes} min ${Math.floor(seconds % 60)} s` : `${Math.ceil(seconds)} s`;
}
