/** The second process: it runs each load that it receives, as fast as the server answers or at the rate of the load. */
import autocannon from 'autocannon';
import type { Job, Load, Request } from './load.ts';

process.on('message', async (job: Job) => {
  const load = await runJob(job);
  process.send?.(load);
});

async function runJob({ url, requests, connections, seconds, rate }: Job): Promise<Load> {
  const shares = sharesOf(requests, connections, seconds === undefined);
  let client = 0;
  const result = await autocannon({
    url,
    connections,
    requests,
    timeout: 60,
    ...(rate !== undefined && { overallRate: rate }),
    // It notices only at the end of an interval that all requests are answered.
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

/** Sends each request once over any connection, or all requests over each connection, starting at different positions. */
function sharesOf(requests: readonly Request[], connections: number, once: boolean): Request[][] {
  const length = Math.ceil(requests.length / connections);
  return Array.from({ length: connections }, (_, index) => {
    const from = index * length;
    // As autocannon divides the amount: the first connections get one more.
    if (once) return requests.filter((_, place) => place % connections === index);
    return [...requests.slice(from), ...requests.slice(0, from)];
  });
}
