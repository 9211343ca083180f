import type { EVENTS_DELETED, EventType, FeedType } from '../../../src/pass/vocabulary.ts';

/** The words for people of every event and of every action in an audit trail. */

type NamedEvent = EventType | FeedType | typeof EVENTS_DELETED | 'webhook.test';

const EVENTS: Readonly<Record<NamedEvent, string>> = {
  TOKEN_ISSUED_INITIATED: 'Issuance requested',
  TOKEN_ISSUED: 'Issued',
  TOKEN_ISSUED_FAILED: 'Issuance failed',
  TOKEN_ISSUED_REORGED: 'Issuance undone by the chain',
  TOKEN_FROZEN_INITIATED: 'Freeze requested',
  TOKEN_FROZEN: 'Frozen',
  TOKEN_FROZEN_FAILED: 'Freeze failed',
  TOKEN_FROZEN_REORGED: 'Freeze undone by the chain',
  TOKEN_UNFROZEN_INITIATED: 'Unfreeze requested',
  TOKEN_UNFROZEN: 'Unfrozen',
  TOKEN_UNFROZEN_FAILED: 'Unfreeze failed',
  TOKEN_UNFROZEN_REORGED: 'Unfreeze undone by the chain',
  TOKEN_REVOKED_INITIATED: 'Revocation requested',
  TOKEN_REVOKED: 'Revoked',
  TOKEN_REVOKED_FAILED: 'Revocation failed',
  TOKEN_REVOKED_REORGED: 'Revocation undone by the chain',
  TOKEN_EXPIRY_CHANGED_INITIATED: 'New expiry requested',
  TOKEN_EXPIRY_CHANGED: 'Expiry changed',
  TOKEN_EXPIRY_CHANGED_FAILED: 'New expiry failed',
  TOKEN_EXPIRY_CHANGED_REORGED: 'New expiry undone by the chain',
  TOKEN_EXPIRING: 'Expires soon',
  TOKEN_EXPIRED: 'Expired',
  REFERENCE_CHANGED: 'Reference changed',
  SUBJECT_CHANGED: 'Subject changed',
  'pass.issued': 'Issued',
  'pass.renewed': 'Renewed',
  'pass.frozen': 'Frozen',
  'pass.unfrozen': 'Unfrozen',
  'pass.revoked': 'Revoked',
  'pass.expiry_changed': 'Expiry changed',
  'pass.rejected': 'Issuance refused by the chain',
  'pass.change_failed': 'Change failed',
  'pass.reorged': 'Change undone by the chain',
  'pass.expiring': 'Expires soon',
  'pass.expired': 'Expired',
  'pass.reference_changed': 'Reference changed',
  'pass.subject_changed': 'Subject changed',
  'feed.restored': 'Events may be lost',
  'feed.events_deleted': 'Events are deleted',
  'webhook.test': 'Test',
};

/** The actions in the trail of a gatekeeper network. */
export const PARTNER_ACTIONS: Readonly<Record<string, string>> = {
  'pass.issue': 'Issuance requested',
  'pass.renew': 'Renewal requested',
  'pass.set_expiry': 'New expiry requested',
  'pass.set_reference': 'Reference changed',
  'pass.set_subject': 'Subject changed',
  'pass.freeze': 'Freeze requested',
  'pass.unfreeze': 'Unfreeze requested',
  'pass.revoke': 'Revocation requested',
  'pass.sync': 'Comparison with the chain requested',
  'pass.repeat': 'Request repeated',
  'subject.change': 'Change of a person requested',
  'subject.revoke': 'Revocation of a person requested',
  'rules.change': 'Rules changed',
  'webhook.create': 'Webhook added',
  'webhook.change': 'Webhook changed',
  'webhook.delete': 'Webhook deleted',
  'webhook.rotate_secret': 'Secret of a webhook replaced',
  'webhook.replay': 'Events replayed',
  'console.sign_in': 'Signed in',
  'audit.delete': 'Old entries deleted',
};

/** The actions in the trail of the operator. */
export const OPERATOR_ACTIONS: Readonly<Record<string, string>> = {
  'operator.change_rules': 'Rules changed',
  'operator.command': 'Command run',
  'operator.redrive': 'Tried again',
  'operator.abandon': 'Issuances abandoned',
  'operator.withdraw': 'Unsigned steps ended',
  'operator.revoke': 'Passes revoked',
  'operator.decide': 'Approval decided',
  'operator.accept_losses': 'Losses accepted',
  'operator.rebuild': 'Database rebuilt',
  'operator.move_network': 'Gatekeeper network moved',
  'operator.switch_webhook': 'Webhook switched',
  'operator.add_partner': 'Partner added',
  'operator.change_partner': 'Partner changed',
  'operator.import_partners': 'Partners imported',
  'operator.switch_public_checks': 'Public checks switched',
  'console.sign_in': 'Signed in',
  'audit.delete': 'Old entries deleted',
};

const WORDS: Readonly<Record<string, string>> = { ...EVENTS, ...PARTNER_ACTIONS, ...OPERATOR_ACTIONS };

/** Returns the words for an event or an action. One of a later release gets those of its name. */
export function wordsFor(type: string): string {
  if (Object.hasOwn(WORDS, type)) return WORDS[type] as string;
  const words = type.toLowerCase().replaceAll(/[_.]/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
