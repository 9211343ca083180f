/** The second process: what it is sent is done to a server, as fast as that answers. */
import autocannon from 'autocannon';
import type { Job, Load, Request } from './load.ts';

process.on('message', async (job: Job) => {
  const load = await runJob(job);
  process.send?.(load);
});

async function runJob({ url, requests, connections, seconds }: Job): Promise<Load> {
  const shares = sharesOf(requests, connections, seconds === undefined);
  let client = 0;
  const result = await autocannon({
    url,
    connections,
    requests,
    timeout: 60,
    // Only at the end of such an interval it notices that all has been answered.
    sampleInt: 20,
    ...(seconds === undefined ? { amount: requests.length } : { duration: seconds }),
    setupClient(each) {
      each.setRequests(shares[client++ % connections] ?? requests);
    },
  });
  const elapsed = (result.finish.getTime() - result.start.getTime()) / 1000;
  const { '2xx': answered, non2xx: refused, errors, latency } = result;
  return { answered, refused, errors, perSecond: answered / elapsed, p50: latency.p50, p99: latency.p99 };
}

/** Each request once, by one connection or another; or all of them by each connection, which begin far from each other. */
function sharesOf(requests: readonly Request[], connections: number, once: boolean): Request[][] {
  const length = Math.ceil(requests.length / connections);
  return Array.from({ length: connections }, (_, index) => {
    const from = index * length;
    // As autocannon divides the amount: the first connections have one more.
    if (once) return requests.filter((_, place) => place % connections === index);
    return [...requests.slice(from), ...requests.slice(0, from)];
  });
}
