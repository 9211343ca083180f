import { env } from 'cloudflare:workers';
import { v7 as uuidv7 } from 'uuid';
import type { AuditEntry } from '../../../src/audit/entry.ts';
import type { AuditObject } from '../../../src/audit-object/audit-object.ts';
import type { UnixSeconds } from '../../../src/lib/units.ts';
import type { PassKey } from '../../../src/pass/pass.ts';

const { AUDITS } = env as Env;

/** Returns a trail that no other test uses. */
export const aTrail = (): DurableObjectStub<AuditObject> => AUDITS.getByName(crypto.randomUUID());

export function anEntry(overrides: Partial<AuditEntry> = {}): AuditEntry {
  const pass = uuidv7();
  return {
    key: `${pass}/1`,
    at: new Date().toISOString(),
    action: 'pass.freeze',
    actor: { client: 'acme' },
    requestId: crypto.randomUUID(),
    target: { pass },
    before: { state: 'ACTIVE' },
    after: { state: 'FROZEN' },
    outcome: { type: 'done' },
    ...overrides,
  };
}

/** Returns the entry that the issuance of a pass by a client leaves. */
export const anIssuance = ({ chain, network, wallet }: PassKey, client: string, second: UnixSeconds): AuditEntry => ({
  key: `${crypto.randomUUID()}/1`,
  at: new Date(second * 1000).toISOString(),
  action: 'pass.issue',
  actor: { client },
  target: { pass: crypto.randomUUID(), chain: { type: chain, network }, walletAddress: wallet },
  outcome: { type: 'done' },
});
