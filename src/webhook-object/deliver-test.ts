import { type DeliverySources, secretsOf } from './delivery-run.ts';
import type { TestResult } from './results.ts';
import { sendEvent } from './send-event.ts';
import { isoTime, type Webhook } from './webhook.ts';

/** Posts an event of the type `webhook.test`, and returns the outcome. */
export async function deliverTest(sources: DeliverySources, webhook: Webhook): Promise<TestResult> {
  const refusal = await refusalOfTest(sources, webhook);
  if (refusal !== undefined) return { type: 'tested', delivered: false, durationMs: 0, error: refusal };
  await sources.waitForTurn(webhook);
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
  if (webhook.disabled === 'operator') return 'the operator has disabled the webhook';
  return (await isSuspended(webhook)) ? 'all partners of the gatekeeper network are suspended' : undefined;
}
