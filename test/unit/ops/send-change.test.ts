import { expect, it } from 'vitest';
import type { AdminCall } from '../../../ops/admin-api.ts';
import { sendChange, type Write } from '../../../ops/partner/send-change.ts';

/** `npm run partner`, while a change waits for a second person. */

const WAITS = { approval: { id: 'a1', expires: 2_000_000_000, count: 1 } };
const ROW = { client_id: 'stark', gatekeeper_network: 'one', organization: 'org', status: 'active' };
const ADDED: Write = { method: 'POST', path: '/admin/partners', body: { clientId: 'stark', gatekeeperNetwork: 'one' } };
const CHANGED: Write = {
  method: 'PATCH',
  path: '/admin/partners/stark',
  body: { organization: 'org', reason: 'asked' },
};
const IMPORTED: Write = {
  method: 'POST',
  path: '/admin/partners/import',
  body: { gatekeeper_networks: [], partners: [ROW] },
};

/** A service whose approval is confirmed, or gone. Then it has the change, or not. */
async function withApproval(write: Write, { isGone = false, isMade = false }) {
  const sent: object[] = [];
  const said: string[] = [];
  const read: Readonly<Record<string, () => object>> = {
    '/admin/approvals': () => ({ approvals: isGone ? [] : [{ id: 'a1', confirmedBy: { sub: 'bob' } }] }),
    '/admin/partners/stark': () => {
      if (!isMade && write === ADDED) throw new Error('404');
      return { clientId: 'stark', organization: isMade ? 'org' : null, status: 'active' };
    },
    '/admin/partners/export?limit=100': () => ({ gatekeeper_networks: [], partners: isMade ? [ROW] : [], next: null }),
  };
  const call: AdminCall = async <T>(method: string, path: string, body: object = {}) => {
    if (method === 'GET') return (read[path] ?? expect.unreachable(path))() as T;
    sent.push({ method, path, body });
    return ('approval' in body ? { clientId: 'stark' } : WAITS) as T;
  };
  const outcome = await sendChange(call, write, (line) => said.push(line), 1).catch((fault: Error) => fault.message);
  return { sent, said, outcome };
}

it.each([
  ['add', ADDED],
  ['set', CHANGED],
  ['import', IMPORTED],
])('%s sends the change again with its approval once another person has confirmed it', async (_, write) => {
  const { sent, said, outcome } = await withApproval(write, {});
  expect(sent).toEqual([write, { ...write, body: { ...write.body, approval: 'a1' } }]);
  expect(outcome).toEqual({ clientId: 'stark' });
  expect(said).toEqual([
    'the change waits until 2033-05-18T03:33:20.000Z for another person, who confirms a1 in the console',
  ]);
});

it.each([
  ['add', ADDED],
  ['set', CHANGED],
  ['import', IMPORTED],
])('%s ends well if the console has made the change, and fails if nobody made it', async (_, write) => {
  const made = await withApproval(write, { isGone: true, isMade: true });
  expect([made.sent, made.outcome]).toEqual([[write], undefined]);
  const left = await withApproval(write, { isGone: true });
  expect(left.outcome).toMatch(/^the approval a1 is gone, and the change is not made: it was rejected, has expired/);
});
