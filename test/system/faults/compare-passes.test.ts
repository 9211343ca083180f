import { describe, expect, it } from 'vitest';
import type { PassRecord } from '../../../tools/localnet/partner/partner-client.ts';
import { differencesIn } from './compare-passes.ts';
import { PassModel } from './pass-model.ts';
import type { TestedPass } from './tested-pass.ts';

/** The fault runs find only the errors that this comparison finds. */

type Evidence = Parameters<typeof differencesIn>[0];

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
  transactions: { mints: ['0x1'], all: ['0x1'] },
  token: { state: 'ACTIVE', expiry: undefined },
};

/** Returns the kinds of differences in the evidence about a pass that was requested once. */
function kindsOf(evidence: Partial<Evidence>): string[] {
  const model = new PassModel();
  model.checkAccepted({ to: 'issue' }, { ...RECORD, state: 'REQUESTED' });
  const pass: TestedPass = { partner: 'acme', network: 'sepolia', wallet: '0xaa', model };
  return [...new Set(differencesIn({ pass, ...GOOD, ...evidence }).map(({ type }) => type))];
}

describe('differencesIn', () => {
  it.each<[evidenceName: string, kinds: string[], evidence: Partial<Evidence>]>([
    ['record, chain and model that agree', [], {}],
    ['an accepted pass without a record', ['lost', 'different'], { record: undefined }],
    ['a record without a token', ['lost', 'different'], { tokens: 0 }],
    ['two tokens', ['doubled', 'different'], { tokens: 2 }],
    [
      'two mints, one of them burned',
      ['doubled', 'different'],
      { transactions: { mints: ['0x1', '0x2'], all: ['0x1', '0x2'] } },
    ],
    ['a token in another state', ['different'], { token: { state: 'FROZEN', expiry: undefined } }],
    ['a token with another expiry', ['different'], { token: { state: 'ACTIVE', expiry: 1 } }],
    [
      'a transaction that the record does not show',
      ['different'],
      { transactions: { mints: ['0x1'], all: ['0x1', '0x2'] } },
    ],
    ['a confirmed transaction that did not succeed', ['different'], { transactions: { mints: ['0x1'], all: [] } }],
    ['a state that no partner requested', ['different'], { record: { ...RECORD, state: 'FROZEN' } }],
  ])('returns the kinds of differences for %s: %j', (_, kinds, evidence) => {
    expect(kindsOf(evidence)).toEqual(kinds);
  });
});
