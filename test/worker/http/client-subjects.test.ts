import { env } from 'cloudflare:test';
import { expect, it, vi } from 'vitest';
import { type PassKey as ClientKey, createGatepass } from '../../../packages/client/src/gatepass.ts';
import { eventually } from '../../eventually.ts';
import { aPass, UNSENT } from './a-pass.ts';
import { QUEUE_THAT_FAILS, WITHOUT_LIMITS, workerWith } from './api.ts';
import { aPartner, aToken, TRUSTING } from './issuer.ts';

/** The client changes subjects of the real service, and reads its rules. */

const send = workerWith({ ...env, ...TRUSTING, ...WITHOUT_LIMITS, PASS_QUEUE: QUEUE_THAT_FAILS });
const SCOPES = 'search:pass issue:pass update:pass manage:rules';

async function aClient() {
  vi.spyOn(console, 'error').mockReturnValue();
  const { clientId, gatekeeperNetwork } = await aPartner();
  const gatepass = createGatepass({
    baseUrl: 'https://api.example',
    token: () => aToken({ client_id: clientId, scope: SCOPES }),
    fetch: (url, init) => send(new Request(url, init)),
    retries: { times: 0 },
  });
  const keyOf = async () => {
    const key = await aPass({ gatekeeperNetwork, state: 'ACTIVE', ...UNSENT });
    return { chain: { type: 'ethereum', network: key.network }, walletAddress: key.wallet } as ClientKey;
  };
  return { gatepass, keyOf };
}

it.each(['p-7f3c9a51e2', 'a/b.c%2F?#'])(
  'the client names, finds, freezes, unfreezes and revokes %s',
  async (subject) => {
    const { gatepass, keyOf } = await aClient();
    const { subjects } = gatepass;
    expect(await subjects.get(subject)).toBeUndefined();
    const [first, second] = [await keyOf(), await keyOf()];
    for (const key of [first, second]) expect((await gatepass.update(key, { subject })).subject).toBe(subject);
    expect((await gatepass.search({ filter: { subject } })).length).toBe(2);

    const frozen = await subjects.update(subject, { state: 'FROZEN', reason: 'case 7' });
    expect(frozen).toMatchObject({ subject, state: 'FROZEN', passes: 2, requests: [{ state: 'FROZEN', total: 2 }] });
    await eventually(async () => {
      const shown = await subjects.get(subject);
      expect(shown?.requests[0]).toMatchObject({ done: 2, refused: {}, finishedAt: expect.any(String) });
      expect(shown?.records.map(({ state }) => state)).toEqual(['FROZEN', 'FROZEN']);
      expect(shown?.passes).toEqual({ FROZEN: 2 });
    });
    await expect(gatepass.update(first, { state: 'ACTIVE' })).rejects.toMatchObject({
      code: 'subject_frozen',
    });
    await expect(gatepass.update(first, { subject: null })).rejects.toMatchObject({
      code: 'subject_frozen',
    });

    expect(await subjects.update(subject, { state: 'ACTIVE' })).toMatchObject({ state: 'ACTIVE' });
    await eventually(async () => expect((await subjects.get(subject))?.passes).toEqual({ ACTIVE: 2 }));
    expect((await gatepass.update(first, { subject: null })).subject).toBeUndefined();

    expect(await subjects.revoke(subject, { reason: 'case 7' })).toMatchObject({ state: 'REVOKED', passes: 1 });
    await expect(subjects.update(subject, { state: 'ACTIVE' })).rejects.toMatchObject({ code: 'subject_revoked' });
    await expect(gatepass.issue((await keyOf()) as never, { subject })).rejects.toMatchObject({ status: 409 });
  },
);

it('the client waits until a change has reached each pass, and gives up when the time is over', async () => {
  const { gatepass, keyOf } = await aClient();
  await gatepass.update(await keyOf(), { subject: 'a' });
  const followed: number[] = [];
  const onProgress = (counts: { followed: number }) => void followed.push(counts.followed);
  // No signer sends the change, so the chain never has it.
  const change = gatepass.subjects.updateAndWait('a', { state: 'FROZEN' }, { withinMs: 1_500, onProgress });
  await expect(change).rejects.toMatchObject({ name: 'SubjectNotSettled' });
  expect(followed.at(-1)).toBe(1);
});

it('the client reads and changes the rules, and a refusal names the rule and the wallets', async () => {
  const { gatepass, keyOf } = await aClient();
  expect(await gatepass.rules.get()).toEqual({});
  expect(await gatepass.rules.update({ subjectMaxPasses: 1 })).toEqual({ subjectMaxPasses: 1 });
  expect(await gatepass.rules.get()).toEqual({ subjectMaxPasses: 1 });
  const [first, second] = [await keyOf(), await keyOf()];
  await gatepass.update(first, { subject: 'one' });
  const rule = { name: 'subjectMaxPasses', maximum: 1, passes: [first] };
  await expect(gatepass.update(second, { subject: 'one' })).rejects.toMatchObject({
    code: 'subject_limit_reached',
    rule,
  });
  expect(await gatepass.rules.update({ subjectMaxPasses: null })).toEqual({});
  expect((await gatepass.usage({ subjects: true })).subjects).toEqual({ count: 1, passes: 1 });
});
