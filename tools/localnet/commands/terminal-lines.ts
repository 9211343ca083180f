import type { FeedEvent } from '../partner/feed.ts';

/** Returns the terminal form of a delivered event: its time (UTC), type, wallet, network, and the state of the pass. */
export function formatEvent({ type, timestamp, data }: FeedEvent): string {
  const [, time = timestamp] = /T(\d\d:\d\d:\d\d)/.exec(timestamp) ?? [];
  const about = data ? [data.pass.walletAddress, data.pass.chain.network, data.pass.state] : [];
  return [time, type, ...about].join('  ');
}

/** Lines of wrangler without interest: its table of bindings, and its own line per request. */
const CHATTER =
  /^$|^\[wrangler:info\]|^⎔|^Your Worker has access|^Binding\s|^env\.|^Using (vars|secrets) defined|^\[custom build\] Running/;

/** Returns the terminal form of a line of `wrangler dev`; undefined if it is not shown. */
export function formatWorkerLine(line: string): string | undefined {
  if (CHATTER.test(line)) return undefined;
  // Wrangler marks error lines of the Worker as its own errors.
  const fields = parseObject(line.replace(/^\S* ?\[ERROR\] /, ''));
  if (fields === undefined) return line;
  if (fields.route === '/health') return undefined;
  // The Worker logs JSON lines for machines. Here people read them.
  return Object.entries(fields)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
}

function parseObject(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
