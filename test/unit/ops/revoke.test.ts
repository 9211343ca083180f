import { expect, it } from 'vitest';
import type { AdminCall } from '../../../ops/admin-api.ts';
import { revoke } from '../../../ops/revoke/revoke.ts';

/** `npm run revoke`, while the action waits for a second person. */

const BODY = { passes: [], reason: 'stolen' };
const NOTHING = { revoked: 0, alreadyRevoked: 0, skipped: 0, failed: 0, passes: [], next: null };
const WAITS = { approval: { id: 'a1', expires: 2_000_000_000, count: 3 } };

/** A service whose approval is confirmed at once, or gone. It returns what the command sent, and said. */
async function withApproval({ isGone, left }: { readonly isGone: boolean; readonly left: number }) {
  const sent: object[] = [];
  const said: string[] = [];
  const answer = (method: string, path: string, body: object = {}): object => {
    if (method === 'GET') return { approvals: isGone ? [] : [{ id: 'a1', confirmedBy: { sub: 'bob' } }] };
    sent.push(body);
    if ('dryRun' in body) return { ...NOTHING, revoked: left, alreadyRevoked: 3 - left };
    return 'approval' in body ? { ...NOTHING, revoked: 3, next: null, path } : WAITS;
  };
  const call: AdminCall = async <T>(...request: [string, string, object?]) => answer(...request) as T;
  const outcome = await revoke(call, [BODY], (line) => said.push(line), 1).then(
    () => 'done',
    (fault: Error) => fault.message,
  );
  return { sent, said, outcome };
}

it('sends the request with its approval once another person has confirmed it', async () => {
  const { sent, outcome } = await withApproval({ isGone: false, left: 3 });
  expect([outcome, sent]).toEqual(['done', [BODY, { ...BODY, approval: 'a1' }]]);
});

it('ends well if the console of the other person has done all of it', async () => {
  const { said, outcome } = await withApproval({ isGone: true, left: 0 });
  expect([outcome, said.at(-1)]).toEqual(['done', 'a1 is done in the console']);
});

it('fails if the approval is gone and passes are left', async () => {
  const { outcome } = await withApproval({ isGone: true, left: 2 });
  expect(outcome).toMatch(/a1 is gone, and passes are left/);
});
