import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { alertsIn, type Figures } from '../../../pages/console/operator/alerts.ts';
import type { OperatorWebhook, SignerReport, WatcherReport } from '../../../pages/console/operator/records.ts';
import { PROJECT } from '../../../terminal/wrangler.ts';

/** The alerts of the operator's overview. */

const NOW = 1_800_000_000;
const NOTHING: Figures = {
  ...{ signers: [], watchers: [], stuck: { stuck: [], next: null }, deadLetters: { deadLetters: [], next: null } },
  ...{ webhooks: { webhooks: [], next: null }, reconciliation: { run: null, rebuilds: [] } },
};
const SIGNER: SignerReport = {
  ...{ network: 'sepolia', chain: 'ethereum', address: '0x7099', retired: false, compromised: false, balance: '1' },
  ...{ passesLeft: 100, waiting: 0, oldestPending: null, paused: null },
};
const WATCHER: WatcherReport = { network: 'sepolia', status: 'on', coveredUntil: NOW - 300, unservedGaps: 0 };
const WEBHOOK: OperatorWebhook = {
  id: 'w',
  gatekeeperNetwork: 'k',
  url: 'https://a.example',
  status: 'enabled',
  lag: 1_000,
};
const pending = (ageSeconds: number) => ({ step: 'x:1', since: NOW - ageSeconds, ageSeconds, nonce: 1 });
const spending = (spent: string) => ({ spent, ceiling: '100', reserve: '0' });
const run = (started: number, held: number) => ({
  run: { started, finished: null, counts: {}, held: Array.from({ length: held }, () => ({})) },
  rebuilds: [],
});

const textsOf = (figures: object) => alertsIn({ ...NOTHING, ...figures } as Figures, NOW).map(({ text }) => text);
const signer = (changes: object) => textsOf({ signers: [{ ...SIGNER, ...changes }] });
const watcher = (changes: object) => textsOf({ watchers: [{ ...WATCHER, ...changes }] });
const webhook = (changes: object) => textsOf({ webhooks: { webhooks: [{ ...WEBHOOK, ...changes }], next: null } });

it('has no alert at the thresholds, and none without answers', () => {
  const calm = { ...SIGNER, oldestPending: pending(600), spending: spending('80') } as SignerReport;
  const webhooks = { webhooks: [WEBHOOK], next: null };
  const reconciliation = run(NOW - 26 * 3_600, 0) as unknown as Figures['reconciliation'];
  expect(textsOf({ signers: [calm], watchers: [WATCHER], webhooks, reconciliation })).toEqual([]);
  const unread = { signers: undefined, watchers: undefined, stuck: undefined, deadLetters: undefined };
  expect(alertsIn({ ...unread, webhooks: undefined, reconciliation: undefined }, NOW)).toEqual([]);
});

it.each([
  [
    'a signer that does not answer',
    signer({ waiting: undefined, balance: null }),
    /^The signer of sepolia does not answer/,
  ],
  ['an unknown balance', signer({ balance: null }), /balance is unknown/],
  ['a pause', signer({ paused: { why: 'no funds', until: NOW } }), /is paused: no funds/],
  ['low funds', signer({ passesLeft: 99 }), /can pay for 99 passes only/],
  ['a pending transaction', signer({ oldestPending: pending(601) }), /has waited 10 min for a block/],
  ['a near ceiling', signer({ spending: spending('81') }), /more than 80 % of its daily ceiling/],
  ['unknown code', signer({ contracts: [{ code: 'unknown' }] }), /has changed hands or code/],
  ['a watcher that does not answer', watcher({ status: 'unreachable' }), /The watcher of sepolia does not answer/],
  ['a lag', watcher({ coveredUntil: NOW - 301 }), /have not been seen for 5 min/],
  ['no coverage', watcher({ coveredUntil: null }), /has covered nothing yet/],
  ['a gap', watcher({ unservedGaps: 2 }), /No endpoint serves 2 parts/],
  ['a removed gatekeeper', watcher({ removedGatekeepers: [{}] }), /A gatekeeper has been removed/],
  ['a silent database', textsOf({ stuck: { stuck: [], next: null, unreadShards: ['DB_1'] } }), /do not answer: DB_1/],
  ['dead letters', textsOf({ deadLetters: { deadLetters: [{}], next: null } }), /dead letters wait/],
  ['a failing webhook', webhook({ failingSince: '2027-01-01T00:00:00Z' }), /a\.example does not deliver/],
  ['a slow webhook', webhook({ lag: 1_001 }), /is 1,001 events behind/],
  ['an old reconciliation', textsOf({ reconciliation: run(NOW - 26 * 3_600 - 1, 0) }), /more than 26 hours ago/],
  ['held losses', textsOf({ reconciliation: run(NOW, 2) }), /Losses of 2 pairs are held/],
])('has one alert for %s', (_, texts, text) => {
  expect(texts).toEqual([expect.stringMatching(text)]);
});

it.each([
  ['a retired key without funds', signer({ passesLeft: 0, retired: true })],
  ['a watcher that is off', watcher({ status: 'off', coveredUntil: null })],
  ['a webhook that somebody disabled', webhook({ status: 'disabled', lag: 9_999 })],
])('has none for %s', (_, texts) => expect(texts).toEqual([]));

describe('the thresholds', () => {
  const rules = readFileSync(join(PROJECT, 'docs/operators/monitoring/alerts.yml'), 'utf8');
  it.each([
    'gatepass_signer_passes_left < 100\n',
    'gatepass_signer_oldest_pending_seconds > 600\n',
    'gatepass_watch_lag_seconds > 300\n',
    'gatepass_webhook_lag_events > 1000\n',
    'gatepass_reconciliation_age_seconds > 26 * 3600\n',
    'gatepass_signer_spent_coins / gatepass_signer_ceiling_coins > 0.8\n',
  ])('are those of Prometheus: %s', (rule) => expect(rules).toContain(rule));
});
