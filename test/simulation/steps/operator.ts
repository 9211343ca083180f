import fc from 'fast-check';
import { OLD_VARIABLES_MS } from '../world/deployment.ts';
import { runSchedule, SCHEDULES } from '../world/schedules.ts';
import { client, type Kinds, kind, nameOf } from './kind.ts';

/** The requests and deployments of the operator, and the schedules that run for it. */

export const OPERATOR_STEPS: Kinds = {
  suspend: kind(
    { weight: 2 },
    [client, fc.constantFrom('suspended', 'suspended', 'active')],
    (who, status) => `the operator sets ${nameOf(who)} to ${status}`,
    (world, who, status) => {
      world.incidents.hasSuspended = true;
      world.requests.ask('operator', 'PATCH', `/admin/partners/${nameOf(who)}`, { status });
    },
  ),
  quota: kind(
    { weight: 1 },
    [client, fc.constantFrom('dailyIssuances', 'dailyChanges'), fc.integer({ min: -1, max: 3 })],
    (who, quota, number) => `the operator sets ${quota} of ${nameOf(who)} to ${number < 0 ? 'unlimited' : number}`,
    (world, who, quota, number) =>
      world.requests.ask('operator', 'PATCH', `/admin/partners/${nameOf(who)}`, {
        [quota]: number < 0 ? null : number,
      }),
  ),
  keys: kind(
    { weight: 2, late: 3 },
    [fc.integer({ min: 1, max: 2 })],
    (count) => `a deployment has ${count} keys on each chain`,
    async (world, count) => {
      world.deployment.deployKeys(count);
      // Later steps are of interest after all objects have the variables.
      if (world.idleTime !== undefined) await world.pass(OLD_VARIABLES_MS / 1_000);
    },
  ),
  schedule: kind(
    { weight: 1 },
    [fc.constantFrom(...SCHEDULES)],
    (cron) => `the schedule ${cron} runs`,
    (world, cron) => runSchedule(world.platform, cron),
  ),
};
