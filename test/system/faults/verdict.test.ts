import { expect, it } from 'vitest';
import type { PassRecord } from '../../../localnet/partner/partner-client.ts';
import { PassModel } from './pass-model.ts';
import type { Subject } from './subject.ts';
import { differences } from './verdict.ts';

/** What is wrong is found: what is told of long runs is worth as much as this. */

type Evidence = Parameters<typeof differences>[0];

const RECORD = {
  id: 'id',
  chain: { type: 'ethereum', network: 'sepolia' },
  state: 'ACTIVE',
  onChainState: 'ACTIVE',
  events: [{ eventType: 'TOKEN_ISSUED', timestamp: 1, transaction: { identifier: '0x1', status: 'confirmed' } }],
} as unknown as PassRecord;

const GOOD = {
  record: RECORD,
  tokens: 1,
  done: { mints: ['0x1'], all: ['0x1'] },
  token: { state: 'ACTIVE', expiry: undefined },
};

/** What a pass that was asked for once has come to. */
function kindsOf(evidence: Partial<Evidence>): string[] {
  const model = new PassModel();
  model.granted({ to: 'issue' }, { ...RECORD, state: 'REQUESTED' });
  const subject: Subject = { partner: 'acme', network: 'sepolia', wallet: '0xaa', model };
  return [...new Set(differences({ subject, ...GOOD, ...evidence }).map(({ is }) => is))];
}

it.each<[what: string, kinds: string[], evidence: Partial<Evidence>]>([
  ['all agree', [], {}],
  ['it was accepted, and there is no record', ['lost', 'different'], { record: undefined }],
  ['no token', ['lost', 'different'], { tokens: 0 }],
  ['two tokens', ['doubled', 'different'], { tokens: 2 }],
  ['two mints, one of them burned', ['doubled', 'different'], { done: { mints: ['0x1', '0x2'], all: ['0x1', '0x2'] } }],
  ['a token in another state', ['different'], { token: { state: 'FROZEN', expiry: undefined } }],
  ['a token with another expiry', ['different'], { token: { state: 'ACTIVE', expiry: 1 } }],
  ['a transaction that the record does not know', ['different'], { done: { mints: ['0x1'], all: ['0x1', '0x2'] } }],
  ['a confirmed transaction that did not succeed', ['different'], { done: { mints: ['0x1'], all: [] } }],
  ['another state than was asked for', ['different'], { record: { ...RECORD, state: 'FROZEN' } }],
])('%s: %j', (_, kinds, evidence) => {
  expect(kindsOf(evidence)).toEqual(kinds);
});
