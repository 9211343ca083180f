import {
  type ProgressReport,
  type ProgressView,
  reportProgress,
  timeLeft,
} from '../../packages/cli/src/progress-report.ts';
import { printError } from '../../terminal/print.ts';

/** How far a scan is. `done` and `total` are in a unit of the network's reader. */
export interface Progress {
  readonly network: string;
  readonly done: number;
  readonly total: number;
  /** Number of tokens that this run has read. */
  readonly tokens: number;
}

const shareOf = ({ done, total }: Progress) => (total === 0 ? 1 : Math.min(1, done / total));

export const SCAN_PROGRESS: ProgressView<Progress> = {
  nameOf: ({ network }) => network,
  shareOf,
  textOf(progress, first, seconds) {
    const share = shareOf(progress);
    const rate = Math.round((progress.tokens - first.tokens) / seconds);
    const left = timeLeft(1 - share, share - shareOf(first), seconds);
    return `${progress.tokens} tokens, ${rate} per second, ${left}`;
  },
};

/** Reports the progress of a scan on the error output. */
export const reportScan = (): ProgressReport<Progress> => reportProgress(SCAN_PROGRESS, process.stderr, printError);
