import type { World } from '../world/world.ts';

/** The operator's lists are empty at the end, and the counters of the metrics only grow. */

/** docs/operators/admin-api.md: the stuck passes are those that are not settled. */
export async function faultsOfLists({ requests }: World): Promise<string[]> {
  const { status, answer } = await requests.answerTo('operator', 'GET', '/admin/stuck?olderThan=0');
  const { passes = [] } = (answer ?? {}) as { readonly passes?: readonly { readonly reason?: unknown }[] };
  return status === 200 && passes.length > 0
    ? [`the operator's list of stuck passes has ${passes.length} in the end: ${JSON.stringify(passes[0])}`]
    : [];
}

/** The last answer of a world is of its end. */
export const METRICS = '/admin/metrics';

/** docs/operators/metrics.md: counters only grow. A store that is lost begins again. */
export async function faultsOfMetrics({ requests, incidents }: World): Promise<string[]> {
  const { asked } = requests;
  if (incidents.hasLostStore || asked.every(({ path }) => path !== METRICS)) return [];
  await requests.answerTo('operator', 'GET', METRICS);
  const last = new Map<string, number>();
  return asked.flatMap(({ path, status, answer }) => {
    if (path !== METRICS || status !== 200) return [];
    return String(answer)
      .split('\n')
      .flatMap((line) => {
        const [, name = '', value] = /^(\w+_(?:total|count|sum|bucket)(?:\{.*\})?) (\S+)$/.exec(line) ?? [];
        if (name === '') return [];
        const before = last.get(name) ?? 0;
        last.set(name, Number(value));
        return Number(value) < before ? [`the metric ${name} falls from ${before} to ${value}`] : [];
      });
  });
}
