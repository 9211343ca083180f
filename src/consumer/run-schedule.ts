import { isHourly } from '../config/bindings.ts';
import { warnOfFilling } from '../operations/warn-of-filling.ts';
import { openStore } from '../store/open-store.ts';
import { deleteOldEvents } from './delete-old-events.ts';
import { beginReconciliation } from './reconcile.ts';

/**
 * Runs a schedule of `wrangler.toml`. The nightly one begins the reconciliation and deletes old events. The hourly one deletes
 * events of the databases that are filling up.
 */
export async function runSchedule({ cron, scheduledTime }: ScheduledController, env: Env): Promise<void> {
  const onlyFilling = isHourly(cron);
  try {
    if (!onlyFilling) await beginReconciliation(scheduledTime, env.LOOKS);
  } finally {
    await deleteOldEvents(env, openStore(env, { onFilling: warnOfFilling }), { now: Date.now(), onlyFilling });
  }
}
