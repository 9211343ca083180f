import { SingleBar } from 'cli-progress';

/** How far a scan is. `done` and `total` are in a unit of the network's reader. */
export interface Progress {
  readonly network: string;
  readonly done: number;
  readonly total: number;
  /** Number of tokens that this run has read. */
  readonly tokens: number;
}

export interface ProgressReport {
  update(progress: Progress): void;
  stop(): void;
}

const LINE_INTERVAL_MS = 5_000;
/** A bar counts in thousandths, because it shows a network of ten accounts and one of a billion blocks. */
const STEPS = 1_000;

/** Reports progress on a terminal as a bar, otherwise as a line every few seconds. */
export function reportProgress(output: NodeJS.WriteStream = process.stderr): ProgressReport {
  return output.isTTY ? reportAsBar(output) : reportAsLines((line) => output.write(`${line}\n`));
}

function reportAsBar(stream: NodeJS.WriteStream): ProgressReport {
  const format = '{network} [{bar}] {text}';
  const bar = new SingleBar({ stream, format, barsize: 30, hideCursor: true });
  let watch: Watch | undefined;
  return {
    update(progress) {
      if (watch?.network !== progress.network) watch = startWatch(progress);
      const payload = { network: progress.network, text: textOf(progress, watch, Date.now()) };
      if (!bar.isActive) bar.start(STEPS, 0, payload);
      bar.update(Math.floor(shareOf(progress) * STEPS), payload);
    },
    stop: () => bar.stop(),
  };
}

/** @param write Receives each line. */
export function reportAsLines(write: (line: string) => void, now: () => number = Date.now): ProgressReport {
  let watch: Watch | undefined;
  let lastMs = now();
  return {
    update(progress) {
      if (watch?.network !== progress.network) watch = startWatch(progress, now());
      if (now() - lastMs < LINE_INTERVAL_MS) return;
      lastMs = now();
      write(`${progress.network}: ${textOf(progress, watch, now())}`);
    },
    stop: () => undefined,
  };
}

/** The start of a network in this run. A resumed run must not count the work of the run before. */
interface Watch {
  readonly network: string;
  readonly startedMs: number;
  readonly share: number;
  readonly tokens: number;
}

const startWatch = (progress: Progress, startedMs = Date.now()): Watch => ({
  network: progress.network,
  startedMs,
  share: shareOf(progress),
  tokens: progress.tokens,
});

const shareOf = ({ done, total }: Progress) => (total === 0 ? 1 : Math.min(1, done / total));

function textOf(progress: Progress, watch: Watch, now: number): string {
  const seconds = Math.max(0.001, (now - watch.startedMs) / 1000);
  const share = shareOf(progress);
  const rate = Math.round((progress.tokens - watch.tokens) / seconds);
  const gained = share - watch.share;
  const left = gained > 0 ? `${durationOf((seconds * (1 - share)) / gained)} left` : 'remaining time unknown';
  return `${Math.floor(100 * share)} %, ${progress.tokens} tokens, ${rate} per second, ${left}`;
}

function durationOf(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  if (minutes >= 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return minutes > 0 ? `${minutes} min ${Math.floor(seconds % 60)} s` : `${Math.round(seconds)} s`;
}
