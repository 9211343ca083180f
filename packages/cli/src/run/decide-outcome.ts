import type { FeedEvent } from '@gatepass/client';
import { REQUESTED, type Verb } from '../csv/verb.ts';
import { ownTransactionOf } from '../own-transaction.ts';

/** The meaning of a feed event for a pass that waits. `send-again`: only a repeated request shows whether the pass is settled. */
export type Decision =
  | { readonly type: 'settled'; readonly transaction: string | undefined }
  | { readonly type: 'failed'; readonly reason: string }
  | { readonly type: 'send-again' };

/**
 * Returns what an event means for a pass for which this verb was accepted; undefined: the pass continues to wait. Pure.
 * @param expiry The requested expiry in Unix seconds.
 */
export function decideOutcome(verb: Verb, expiry: number | undefined, { type, data }: FeedEvent): Decision | undefined {
  if (data === undefined) return undefined;
  const { event, pass } = data;
  const { eventType, reason } = event;
  const transaction = ownTransactionOf(event);
  if (type === 'pass.rejected') return { type: 'failed', reason: reason ?? 'rejected' };
  if (type === 'pass.revoked' && verb !== 'revoke') return { type: 'failed', reason: 'revoked' };
  if (type === 'pass.change_failed') {
    const isOwn =
      eventType === `${REQUESTED[verb].change}_FAILED` ||
      (verb === 'issue' && eventType === 'TOKEN_EXPIRY_CHANGED_FAILED');
    return isOwn ? { type: 'failed', reason: reason ?? 'failed' } : undefined;
  }
  if (verb === 'issue') return decideIssuance(type, expiry, transaction);
  if (eventType !== REQUESTED[verb].change) return undefined;
  const isOther = verb === 'set-expiry' ? pass.expiryTimestamp !== expiry : pass.state !== REQUESTED[verb].state;
  return isOther ? { type: 'failed', reason: 'superseded' } : { type: 'settled', transaction };
}

/** A found token has no transaction of the issuance, and its expiry may still change. */
function decideIssuance(
  type: string,
  expiry: number | undefined,
  transaction: string | undefined,
): Decision | undefined {
  const isDone = type === 'pass.issued' && (transaction !== undefined || expiry === undefined);
  if (isDone) return { type: 'settled', transaction };
  const mayBeDone = ['pass.issued', 'pass.renewed', 'pass.expiry_changed', 'pass.unfrozen'].includes(type);
  return mayBeDone ? { type: 'send-again' } : undefined;
}
