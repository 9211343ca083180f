import { openService } from '../admin-api.ts';
import type { Deployment } from '../nodes/deployment.ts';
import { check, type Finding, skip } from './check.ts';
import { spendingFindings } from './spending.ts';
import { watcherFindings } from './watchers.ts';

/** Checks the reports of the deployed service that need the operator's token. */

/** The doctor reports the current state and does not retry. */
export const ONCE = { times: 0, withinMs: 10_000, attemptMs: 10_000 };
const NO_TOKEN = skip(
  "set GATEPASS_TOKEN or the operator's credentials to see today's spending of the signers, and the watchers",
);

/** Returns the findings of each report, or skips them without the operator's credentials. */
export async function checkReports(deployment: Deployment): Promise<Finding[]> {
  if (!hasCredentials(deployment)) return [await check('spending', () => NO_TOKEN)];
  const call = openService(deployment, ONCE);
  const [spending, watchers] = await Promise.all([
    report('spending', spendingFindings(call)),
    report('watchers', watcherFindings(call, Date.now())),
  ]);
  return [...spending, ...watchers];
}

async function report(name: string, findings: Promise<Finding[]>): Promise<Finding[]> {
  const found = await findings.catch((fault: Error) => fault);
  if (!(found instanceof Error)) return found;
  return [await check(name, () => skip(`the service does not report it: ${found.message}`))];
}

/** Whether the environment has the operator's token, or the credentials to fetch one. */
export function hasCredentials({ operator: { GATEPASS_TOKEN, GATEPASS_CLIENT_SECRET } }: Deployment): boolean {
  return Boolean(GATEPASS_TOKEN || GATEPASS_CLIENT_SECRET);
}
