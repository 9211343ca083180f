import { expect, it } from 'vitest';
import { watcherFindings, watcherVerdict } from '../../../ops/doctor/watchers.ts';

/** The doctor's finding about each watcher that the service reports. */

const NOW = 1_800_000_000;
const watching = { network: 'sepolia', status: 'on', coveredUntil: NOW - 20, unservedGaps: 0, why: null };
const removed = [{ gatekeeperNetwork: 'tgnuXX', gatekeeper: '0x7099' }];

it.each([
  ['ok', 'covers the chain', watching, /until 20 s ago/],
  ['ok', 'had a fault just now', { ...watching, why: 'no answer' }, /until 20 s ago/],
  ['failed', 'is far behind', { ...watching, coveredUntil: NOW - 301, why: 'logs refused' }, /301 s ago: logs refused/],
  [
    'failed',
    'has covered nothing',
    { ...watching, coveredUntil: null, why: 'logs refused' },
    /nothing yet: logs refused/,
  ],
  ['failed', 'has seen a removed gatekeeper', { ...watching, removedGatekeepers: removed }, /0x7099 of tgnuXX/],
  ['notice', 'has a gap', { ...watching, coveredUntil: NOW - 900, unservedGaps: 2 }, /serves 2 parts/],
  ['notice', 'is off', { ...watching, status: 'off' }, /switches it off/],
  ['ok', 'has not begun', { network: 'sepolia', status: 'not-begun' }, /first pass/],
  ['skipped', 'does not answer', { network: 'sepolia', status: 'unreachable' }, /does not answer/],
  ['skipped', 'has a status of a later release', { network: 'sepolia', status: 'resting' }, /does not answer/],
])('is %s if the watcher %s', (type, _, watcher, text) => {
  const verdict = watcherVerdict(watcher, NOW);
  expect(verdict.type).toBe(type);
  expect(JSON.stringify(verdict)).toMatch(text);
  if (verdict.type === 'failed') expect(verdict.remedy).toMatch(/RPC_ENDPOINTS|runbook/);
});

it('has one line for each network', async () => {
  const call = async () => ({ watchers: [watching, { network: 'devnet', status: 'unreachable' }] });
  const findings = await watcherFindings(call as never, NOW * 1000);
  expect(findings.map(({ name, verdict }) => [name, verdict.type])).toEqual([
    ['sepolia, watcher', 'ok'],
    ['devnet, watcher', 'skipped'],
  ]);
});
