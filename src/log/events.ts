/**
 * The events of the log and their levels. `docs/operators/log-events.md` explains each one. Names are append-only, because
 * operators filter and alert by them.
 */
export const LOG_EVENTS = {
  'request.answered': 'info',
  'request.failed': 'error',
  'request.wait_failed': 'error',
  'rate_limit.unavailable': 'error',
  'issuer.keys_unavailable': 'error',
  'partner.unusable': 'error',
  'docs.asset_unavailable': 'error',
  'verify.cache_unavailable': 'error',

  'pass.step_sent': 'info',
  'pass.step_confirmed': 'info',
  'pass.step_vanished': 'info',
  'pass.step_found': 'info',
  'pass.step_withdrawn': 'info',
  'pass.step_failed': 'info',
  'pass.sync_failed': 'error',
  'pass.publish_failed': 'error',
  'pass.alarm_failed': 'error',
  'pass.unreachable': 'error',
  'quota.unreachable': 'error',
  'webhook.unreachable': 'error',
  'webhook.disabled': 'error',
  'webhook.events_expired': 'error',
  'webhook.events_given_up': 'error',
  'webhook.run_failed': 'error',
  'watcher.unreachable': 'error',

  'signer.unreachable': 'error',
  'signer.not_configured': 'error',
  'signer.paused': 'error',
  'signer.run_failed': 'error',
  'signer.signing_forbidden': 'error',
  'signer.step_postponed': 'info',
  'signer.step_held': 'error',
  'signer.contract_error_unknown': 'error',
  'signer.broadcast_refused': 'info',
  'signer.rebroadcast_failed': 'error',
  'signer.tracking_failed': 'error',
  'signer.transactions_unreadable': 'error',
  'signer.transaction_vanished': 'info',
  'signer.transaction_expired': 'info',
  'signer.transaction_without_effect': 'info',
  'signer.unsticking_failed': 'error',
  'signer.transactions_replaced': 'info',
  'signer.transactions_stuck': 'info',
  'signer.nonces_filled': 'info',
  'signer.nonces_apart': 'error',
  'signer.nonces_final': 'info',
  'signer.nonces_unread': 'error',
  'signer.earlier_store_final': 'info',
  'signer.earlier_store_unread': 'error',
  'signer.account_unread': 'error',
  'signer.waiting_count_failed': 'error',
  'signer.contract_changed': 'error',
  'signer.contract_code_unknown': 'error',
  'signer.contract_code_known': 'info',
  'signer.contract_disputed': 'error',
  'signer.contract_unread': 'error',
  'signer.suspensions_changed': 'info',
  'signer.suspensions_unread': 'error',
  'signer.ceiling_near': 'error',
  'signer.ceiling_reached': 'error',
  'endpoint.unreadable': 'error',
  'endpoint.call_refused': 'info',

  'queue.message_unreadable': 'error',
  'queue.batch_failed': 'error',
  'queue.send_failed': 'error',
  'queue.dead_letter': 'error',
  'queue.dead_letters_not_stored': 'error',

  'database.read_failed': 'error',
  'database.unread': 'error',
  'database.filling': 'error',
  'feed.events_deleted': 'info',
  'feed.deletion_failed': 'error',

  'reconciliation.slice_done': 'info',
  'reconciliation.slice_failed': 'error',
  'reconciliation.done': 'info',
  'reconciliation.network_done': 'info',
  'reconciliation.difference': 'info',
  'reconciliation.absences_held': 'info',
} as const satisfies Record<string, 'info' | 'error'>;

type LogEvents = typeof LOG_EVENTS;
type EventsOf<Level> = { [Event in keyof LogEvents]: LogEvents[Event] extends Level ? Event : never }[keyof LogEvents];

/** Events that are part of normal work. */
export type InfoEvent = EventsOf<'info'>;
/** Events that an operator should look at. */
export type ErrorEvent = EventsOf<'error'>;
