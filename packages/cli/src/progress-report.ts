import { SingleBar } from 'cli-progress';

/** Shows how far a run is. */
export interface ProgressReport<Progress> {
  update(progress: Progress): void;
  /** Prints a line between the progress. */
  note(line: string): void;
  stop(): void;
}

/** The words and numbers of a kind of progress. */
export interface ProgressView<Progress> {
  /** Names the part of the run, for example a network. The rate of another part is its own. */
  nameOf(progress: Progress): string;
  /** The finished share of the part, from 0 to 1. */
  shareOf(progress: Progress): number;
  /** @param first The first progress of the part: a resumed run must not count the work of the run before. */
  textOf(progress: Progress, first: Progress, seconds: number): string;
}

const LINE_INTERVAL_MS = 5_000;
/** A bar counts in thousandths, because one run has ten items, and another one a billion. */
const STEPS = 1_000;

/** Reports progress on a terminal as a bar, otherwise as a line every few seconds. */
export function reportProgress<Progress>(
  view: ProgressView<Progress>,
  stream: NodeJS.WriteStream,
  print: (line: string) => void,
): ProgressReport<Progress> {
  return stream.isTTY ? reportAsBar(view, stream, print) : reportAsLines(view, print);
}

function reportAsBar<Progress>(
  view: ProgressView<Progress>,
  stream: NodeJS.WriteStream,
  print: (line: string) => void,
): ProgressReport<Progress> {
  const bar = new SingleBar({ stream, format: '{name}[{bar}] {text}', barsize: 30, hideCursor: true });
  const describe = describeWith(view, Date.now);
  return {
    update(progress) {
      const payload = describe(progress);
      if (!bar.isActive) bar.start(STEPS, 0, payload);
      bar.update(Math.floor(view.shareOf(progress) * STEPS), payload);
    },
    note(line) {
      // The bar draws itself again below the line.
      stream.write('\r\u001b[K');
      print(line);
    },
    stop: () => bar.stop(),
  };
}

export function reportAsLines<Progress>(
  view: ProgressView<Progress>,
  print: (line: string) => void,
  now: () => number = Date.now,
): ProgressReport<Progress> {
  const describe = describeWith(view, now);
  let lastMs = now();
  return {
    update(progress) {
      const { name, text } = describe(progress);
      if (now() - lastMs < LINE_INTERVAL_MS) return;
      lastMs = now();
      print(name + text);
    },
    note: print,
    stop: () => undefined,
  };
}

/** Reports a number that grows to an unknown end: as a line every few seconds. Returns the function to call with each number. */
export function reportCount(
  print: (line: string) => void,
  describe: (count: number) => string,
  now: () => number = Date.now,
): (count: number) => void {
  let lastMs = now();
  return (count) => {
    if (now() - lastMs < LINE_INTERVAL_MS) return;
    lastMs = now();
    print(describe(count));
  };
}

/** Returns a function that describes each progress, with the time since the first one of its part. */
function describeWith<Progress>({ nameOf, shareOf, textOf }: ProgressView<Progress>, now: () => number) {
  let first: { readonly progress: Progress; readonly name: string; readonly ms: number } | undefined;
  return (progress: Progress) => {
    const name = nameOf(progress);
    if (first?.name !== name) first = { progress, name, ms: now() };
    const seconds = Math.max(0.001, (now() - first.ms) / 1000);
    const text = `${Math.floor(100 * shareOf(progress))} %, ${textOf(progress, first.progress, seconds)}`;
    return { name: name === '' ? '' : `${name}: `, text };
  };
}

const ESTIMATE_AFTER_SECONDS = 10;
/** A smaller part of the work says nothing about the time of the rest. */
const ESTIMATE_AFTER_SHARE = 0.001;

/**
 * Returns how long the rest takes if it continues at the rate of these seconds, in which that much was done. The first seconds and the
 * first thousandth mean nothing: requests and transactions of a start end all at once.
 */
export function timeLeft(rest: number, done: number, seconds: number): string {
  const isEarly = seconds < ESTIMATE_AFTER_SECONDS || done <= 0 || done < (rest + done) * ESTIMATE_AFTER_SHARE;
  return isEarly ? 'remaining time not known yet' : `${durationOf((seconds * rest) / done)} left`;
}

function durationOf(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  if (minutes >= 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return minutes > 0 ? `${minutes} min ${Math.floor(seconds % 60)} s` : `${Math.round(seconds)} s`;
}
