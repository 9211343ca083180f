import { type ProgressView, timeLeft } from '../progress-report.ts';

/** How far a run is. */
export interface Progress {
  readonly total: number;
  /** Passes whose request the service has stored, with those that ended. */
  readonly accepted: number;
  readonly settled: number;
  readonly failed: number;
}

const endedIn = ({ settled, failed }: Progress) => settled + failed;

export const RUN_PROGRESS: ProgressView<Progress> = {
  nameOf: () => '',
  shareOf: (progress) => endedIn(progress) / Math.max(1, progress.total),
  textOf(progress, first, seconds) {
    const { total, accepted, settled, failed } = progress;
    const done = endedIn(progress) - endedIn(first);
    const left = timeLeft(total - endedIn(progress), done, seconds);
    const counts = `${accepted} of ${total} accepted, ${settled} settled, ${failed} failed`;
    return `${counts}, ${(done / seconds).toFixed(1)} per second, ${left}`;
  },
};
