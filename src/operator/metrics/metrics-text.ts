import type { Snapshot } from './collect-metrics.ts';
import { FAMILIES } from './families.ts';
import { formatMetrics } from './open-metrics.ts';

/** Returns the text of all metrics. */
export function metricsText(snapshot: Snapshot): string {
  return formatMetrics(FAMILIES.map((family) => ({ ...family, samples: family.samplesOf(snapshot) })));
}
