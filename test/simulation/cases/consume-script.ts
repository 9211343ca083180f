import { describe, MAX_BATCH, type Message, type QueueName, type Verdict } from './script.ts';
import type { ScriptEnv } from './script-object.ts';

const VERDICTS: Readonly<
  Record<Verdict, (message: Pick<globalThis.Message, 'ack' | 'retry'>, batch: MessageBatch) => void>
> = {
  ack: (message) => message.ack(),
  retry: (message) => message.retry(),
  'ack-retry': (message) => {
    message.ack();
    message.retry();
  },
  'retry-ack': (message) => {
    message.retry();
    message.ack();
  },
  nothing: () => {},
  throw: () => {},
  'ack-throw': (message) => message.ack(),
  'retry-throw': (message) => message.retry(),
  'ack-all': (_, batch) => batch.ackAll(),
  'retry-all': (_, batch) => batch.retryAll(),
};

/** Does with each message what the message says, and tells its object so. */
export async function consumeScripts(batch: MessageBatch, { SCRIPTS }: ScriptEnv): Promise<void> {
  if (batch.messages.length > MAX_BATCH[batch.queue as QueueName]) throw new Error('the batch is too large');
  for (const message of batch.messages) {
    const { to, label, value, verdicts } = (message.body ?? {}) as Partial<Message>;
    // The dead letters remain dead.
    const isDead = batch.queue === 'dead';
    const verdict = (isDead ? undefined : verdicts?.[message.attempts - 1]) ?? 'ack';
    const text = `${batch.queue} ${label} ${message.attempts} ${verdict} ${describe(value)} ${typeof message.id} ${message.timestamp instanceof Date}`;
    if (to !== undefined) await SCRIPTS.getByName(to).append(text);
    VERDICTS[verdict](message, batch);
    if (verdict.endsWith('throw')) throw new Error('thrown by the script');
  }
}
