import type { FeedEvent } from '../partner/feed.ts';

/** Returns the terminal form of a delivered event: its time (UTC), type, wallet, network, and the state of the pass. */
export function formatEvent({ type, timestamp, data }: FeedEvent): string {
  const [, time = timestamp] = /T(\d\d:\d\d:\d\d)/.exec(timestamp) ?? [];
  const about = data ? [data.pass.walletAddress, data.pass.chain.network, data.pass.state] : [];
  return [time, type, ...about].join('  ');
}
