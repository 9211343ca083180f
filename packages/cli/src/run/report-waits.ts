import type { Listener } from '@gatepass/client';

/** Shorter waits are as usual as slow answers. */
const REPORTED_WAIT_MS = 5_000;

/** Returns a listener of the client that prints a line about each long wait before a retry. Waits that end together share a line. */
export function reportWaits(print: (line: string) => void, now: () => number = Date.now): Listener {
  let reportedUntilMs = now();
  return (notice) => {
    if (notice.type !== 'retry') return;
    const endMs = now() + notice.pauseMs;
    if (notice.pauseMs < REPORTED_WAIT_MS || endMs < reportedUntilMs + REPORTED_WAIT_MS) return;
    reportedUntilMs = endMs;
    const server = notice.to === 'token' ? 'the authorization server' : 'the service';
    const answer = notice.status === undefined ? 'gave no answer' : `answered ${notice.status}`;
    print(`waits ${Math.ceil(notice.pauseMs / 1000)} s: ${server} ${answer}`);
  };
}
