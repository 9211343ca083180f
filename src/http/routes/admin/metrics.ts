import { waitUntil } from 'cloudflare:workers';
import type { Config } from '../../../config/config.ts';
import { FreshValue } from '../../../lib/fresh-value.ts';
import { SECOND_MS } from '../../../lib/time.ts';
import { collectMetrics } from '../../../operations/collect-metrics.ts';
import { metricsText } from '../../metrics/metrics-text.ts';
import { OPEN_METRICS_TYPE } from '../../metrics/open-metrics.ts';
import { reply } from '../../protocol/reply.ts';
import { adminRoute } from '../../route.ts';
import { NoQuery, STUCK_SECONDS } from '../../schemas/admin-requests.ts';

/** The last text of each configuration. Several scrapers then read the signers once. */
const texts = new WeakMap<Config, FreshValue<string>>();

export const showMetrics = adminRoute({
  operationId: 'getMetrics',
  method: 'GET',
  path: '/admin/metrics',
  scope: 'admin',
  tokenScope: 'metrics',
  query: NoQuery,
  async handle({ config, ...backend }) {
    const known = texts.get(config) ?? new FreshValue<string>({ freshMs: 15 * SECOND_MS }, waitUntil);
    texts.set(config, known);
    const text = await known.get(async () => metricsText(await collectMetrics(config, backend, STUCK_SECONDS)));
    return { ...reply(200, text), headers: { 'content-type': OPEN_METRICS_TYPE } };
  },
});
