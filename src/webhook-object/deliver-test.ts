import { type DeliverySources, secretsOf } from './delivery-run.ts';
import type { DeliveryTurns } from './delivery-turns.ts';
import { sendEvent } from './send-event.ts';
import { isoTime, type Webhook } from './webhook.ts';

/** The result of a test delivery. */
export type TestResult =
  | { readonly type: 'too_soon' }
  | {
      readonly type: 'tested';
      readonly delivered: boolean;
      /** HTTP status; undefined: there was no response. */
      readonly status?: number | undefined;
      readonly durationMs: number;
      readonly error?: string | undefined;
    };

const TURN_MAX_MS = 5_000;
const DISABLED_BY_OPERATOR = 'the operator has disabled the webhook';

const refused = (error: string): TestResult => ({ type: 'tested', delivered: false, durationMs: 0, error });

/** Posts an event of the type `webhook.test`, and returns the outcome. */
export async function deliverTest(
  sources: DeliverySources,
  webhook: Webhook,
  turns: DeliveryTurns,
): Promise<TestResult> {
  const refusal = await refusalOfTest(sources, webhook);
  if (refusal !== undefined) return refused(refusal);
  // A partner may test any number of new webhooks. Their requests must not wait longer and longer.
  if (!(await turns.waitForOne(webhook, TURN_MAX_MS))) return { type: 'too_soon' };
  // The turn may have come late.
  if (sources.store.load()?.disabled === 'operator') return refused(DISABLED_BY_OPERATOR);
  const id = `test.${crypto.randomUUID()}`;
  const body = JSON.stringify({ id, type: 'webhook.test', timestamp: isoTime(Date.now()) });
  const { isDelivered, status, durationMs, error } = await sendEvent(webhook.url, { id, body }, secretsOf(webhook));
  return { type: 'tested', delivered: isDelivered, status, durationMs, error };
}

/** Returns why the webhook sends nothing; undefined: it may. A webhook that its partner disabled may be tested. */
async function refusalOfTest(
  { refusalOf, isSuspended }: DeliverySources,
  webhook: Webhook,
): Promise<string | undefined> {
  const ofUrl = refusalOf(webhook);
  if (ofUrl !== undefined) return `the URL ${ofUrl}`;
  if (webhook.disabled === 'operator') return DISABLED_BY_OPERATOR;
  return (await isSuspended(webhook)) ? 'all partners of the gatekeeper network are suspended' : undefined;
}
