import { logFault } from '../log/log.ts';
import { readLook } from '../message/look.ts';

/**
 * Messages that were given up. Nothing is lost with them, the passes' alarms go on; that they exist is for the
 * operator to see.
 */
export function reportDeadLetters(batch: MessageBatch): void {
  for (const message of batch.messages) {
    const pass = readLook(message.body);
    logFault('dead-letter', pass ? 'its pass object could not be reached' : 'unreadable', {
      message: message.id,
      pass,
    });
    message.ack();
  }
}
