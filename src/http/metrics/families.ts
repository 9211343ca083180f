import type { Family } from './open-metrics.ts';

/** All metrics of the service. The dashboard is generated from this list. Names are append-only. */
export const FAMILIES = [
  {
    name: 'gatepass_signer_balance_coins',
    type: 'gauge',
    unit: 'coins',
    help: 'Balance of the key, at most five minutes old.',
  },
  {
    name: 'gatepass_signer_passes_left',
    type: 'gauge',
    help: 'Number of issuances that the balance pays for at their current maximum cost.',
  },
  {
    name: 'gatepass_signer_waiting_steps',
    type: 'gauge',
    help: 'Number of unsigned steps by rank: 0 revoke and freeze, 1 single requests, 2 bulk issuances.',
  },
  {
    name: 'gatepass_signer_in_flight_transactions',
    type: 'gauge',
    help: 'Number of signed transactions that are not final, by stage: unsent, sent or confirmed.',
  },
  {
    name: 'gatepass_signer_oldest_pending_seconds',
    type: 'gauge',
    unit: 'seconds',
    help: 'Age of the transaction that has waited longest for a block. 0 if no transaction waits.',
  },
  {
    name: 'gatepass_signer_paused',
    type: 'gauge',
    help: 'Whether the signer is paused (1) and sends nothing.',
  },
  {
    name: 'gatepass_signers_missing',
    type: 'gauge',
    help: 'Number of signers that did not answer within 1.5 seconds.',
  },
  {
    name: 'gatepass_passes_issued',
    type: 'counter',
    help: 'Number of confirmed issuances.',
  },
  {
    name: 'gatepass_steps_failed',
    type: 'counter',
    help: 'Number of steps that the chain refuses for good.',
  },
  {
    name: 'gatepass_transactions_reorged',
    type: 'counter',
    help: 'Number of transactions whose block left the chain.',
  },
  {
    name: 'gatepass_confirmation_seconds',
    type: 'histogram',
    unit: 'seconds',
    help: 'Time from the first signature of a step to its confirmation.',
  },
  {
    name: 'gatepass_stuck_passes',
    type: 'gauge',
    help: 'Number of passes that have been unsettled for five minutes or longer. The count of a shard stops at 1,000.',
  },
  {
    name: 'gatepass_dead_letters',
    type: 'gauge',
    help: 'Number of messages that the service will not process again by itself. The count stops at 1,000.',
  },
  {
    name: 'gatepass_reconciliation_age_seconds',
    type: 'gauge',
    unit: 'seconds',
    help: 'Time since the reconciliation last began or continued.',
  },
  {
    name: 'gatepass_reconciliation_differences',
    type: 'gauge',
    help: 'Number of differences that the last reconciliation found, by kind.',
  },
  {
    name: 'gatepass_shard_size_bytes',
    type: 'gauge',
    unit: 'bytes',
    help: 'Size of the database.',
  },
  {
    name: 'gatepass_shard_limit_bytes',
    type: 'gauge',
    unit: 'bytes',
    help: 'Maximum size of each database.',
  },
  {
    name: 'gatepass_shards_missing',
    type: 'gauge',
    help: 'Number of databases that did not answer.',
  },
  {
    name: 'gatepass_webhook_lag_events',
    type: 'gauge',
    unit: 'events',
    help: 'Events that the slowest enabled webhook of the gatekeeper network has not read yet.',
  },
  {
    name: 'gatepass_webhooks_failing',
    type: 'gauge',
    help: 'Number of enabled webhooks whose last delivery failed.',
  },
  {
    name: 'gatepass_webhooks_disabled',
    type: 'gauge',
    help: 'Number of webhooks that the service disabled because their deliveries failed.',
  },
  {
    name: 'gatepass_webhooks_missing',
    type: 'gauge',
    help: 'Number of webhooks that did not answer within 1.5 seconds.',
  },
  {
    name: 'gatepass_webhooks_unread',
    type: 'gauge',
    help: 'Number of webhooks that the other metrics do not cover: more than 2,000, or not asked within 5 seconds.',
  },
] as const satisfies readonly Family[];

export type FamilyName = (typeof FAMILIES)[number]['name'];
