import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PARTNER_REASONS, QUEUE_MAX_STEPS, reasonForPartner } from '../../../src/pass/partner-reasons.ts';
import { PROGRESS, type ProgressCode, WAIT_REASONS, type WaitCode } from '../../../src/pass/wait-reasons.ts';

/** The words in which a partner reads each reason to wait. A new reason needs a line here, so that somebody decides about it. */

const LINES: Readonly<Record<WaitCode, keyof typeof PARTNER_REASONS>> = {
  'not-configured': 'paused',
  'key-compromised': 'paused',
  'no-funds': 'no_funds',
  'kms-wrong-answer': 'paused',
  'kms-denied': 'paused',
  'kms-throttled': 'paused',
  'kms-unanswered': 'paused',
  'nodes-unanswered': 'network_away',
  'foreign-transactions': 'paused',
  'nonces-far-ahead': 'paused',
  'no-program': 'paused',
  'gas-price-too-high': 'network_fees',
  'l1-fee-too-high': 'network_fees',
  'unknown-contract-error': 'paused',
  'not-authorized': 'not_authorized',
  'network-missing': 'not_authorized',
  'no-gatekeeper-network': 'paused',
  'no-contract': 'paused',
  held: 'paused',
  'effect-not-shown': 'paused',
  'client-suspended': 'suspended',
  'contract-code-unknown': 'paused',
  'contract-code-unread': 'paused',
  'suspensions-unread': 'paused',
  'earlier-store': 'not_final',
  'nonce-not-final': 'not_final',
  'mint-not-final': 'not_final',
  'earlier-step-not-final': 'not_final',
  'issuance-in-flight': 'not_final',
  'signing-forbidden': 'paused',
  'broadcast-refused': 'network_away',
  'unknown-step-error': 'paused',
  'tokens-not-final': 'not_final',
  'final-block-unanswered': 'network_away',
  'state-behind': 'network_away',
  'nodes-behind': 'network_away',
  'not-simulated': 'network_away',
  'out-of-gas': 'network_away',
  'simulation-failed': 'paused',
  'token-changed': 'paused',
  'too-many-tokens': 'too_many_tokens',
  'answer-unreadable': 'network_away',
  'account-unreadable': 'paused',
  'endpoints-disagree': 'network_away',
  'absence-not-final': 'network_away',
  'absence-unconfirmed': 'network_away',
  'lane-ceiling': 'daily_limit',
  'lane-reserve': 'daily_limit',
  'signer-ceiling': 'daily_limit',
  'signer-reserve': 'daily_limit',
};

const WAITS = Object.keys(WAIT_REASONS) as WaitCode[];

describe('the words of a reason to wait for its partner', () => {
  it('are decided for every reason', () => {
    expect(Object.keys(LINES)).toEqual(WAITS);
  });

  it.each(WAITS)('of %s are those of its row', (code) => {
    const row = LINES[code];
    expect(reasonForPartner(code)).toEqual({ code: row, detail: PARTNER_REASONS[row].text });
  });

  it.each(Object.keys(PROGRESS) as ProgressCode[])('of the progress %s name the queue, or do not exist', (code) => {
    const isQueue = code === 'turn' || code === 'no-room';
    expect(reasonForPartner(code)?.code).toBe(isQueue ? 'queue' : undefined);
  });

  it.each([
    [0, 'The change waits in the queue of the gatekeeper network: 0 before it.'],
    [12, 'The change waits in the queue of the gatekeeper network: 12 before it.'],
    [QUEUE_MAX_STEPS, 'The change waits in the queue of the gatekeeper network: at least 1000 before it.'],
  ])('have the number of changes before it: %i', (before, detail) => {
    expect(reasonForPartner('turn', before)).toEqual({ code: 'queue', detail, before });
  });

  it('say of a reason that only a later release knows that the service has paused the change', () => {
    for (const code of ['wrong-moon-phase', 'toString', '__proto__'] as unknown as WaitCode[])
      expect(reasonForPartner(code)?.code).toBe('paused');
  });

  it('have no sentence for the operator, no address and no amount', () => {
    for (const code of WAITS) {
      const shown = JSON.stringify(reasonForPartner(code));
      expect(shown).not.toMatch(/0x|https?:|\d/);
      expect(shown).not.toContain(WAIT_REASONS[code].text);
    }
  });
});

it('the document for partners has each reason with its sentence, and no other', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/partners/pass-life.md'), 'utf8');
  const [, section = ''] = page.split('### Why a change waits');
  const rows = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| `(\w+)` \| ([^|]+) \|/gm)];
  const detailOf = (code: string, { text }: { readonly text: string }) =>
    code === 'queue' ? reasonForPartner('turn', 12)?.detail : text;
  expect(rows.slice(1).map(([, code, detail]) => [code, detail])).toEqual(
    Object.entries(PARTNER_REASONS).map(([code, row]) => [code, detailOf(code, row)]),
  );
});
