import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { signerNameOf } from '../../../src/config/signers.ts';
import { handOver } from '../../../src/message/hand-over.ts';
import { openBackend } from '../../../src/operations/backend.ts';
import { stepIdRange } from '../../../src/pass/step.ts';
import type { WantedState } from '../../../src/pass/vocabulary.ts';
import { loadPass, savePass } from '../../../src/pass-object/stored-pass.ts';
import { openStore } from '../../../src/store/store.ts';
import { eventually } from '../../eventually.ts';
import { sepolia } from '../chain/ethereum/node.ts';
import { anActivePassObject, type Stub } from './a-pass-object.ts';

/** A freeze or a revocation reaches its signer, although thousands of messages are before that of its pass. No message arrives here. */

const { SIGNERS } = env as Env;

/** Takes every message, and delivers none. */
const endless = { sendBatch: async () => ({ metadata: { metrics: {} } }) } as unknown as Queue;
const backend = () => ({ ...openBackend(env as Env, openStore(env as Env)), queue: endless, bulkQueue: endless });

/** Returns the object of an active pass whose signer is in service. */
async function anActivePass(): Promise<Stub> {
  const { object } = await anActivePassObject();
  await runInDurableObject(object, (_, { storage }) => {
    const stored = loadPass(storage);
    if (stored)
      savePass(storage, { ...stored, pass: { ...stored.pass, signer: signerNameOf(sepolia()) } }, stored.pass);
  });
  return object;
}

/** Returns the kinds of the steps of the pass that its signer has. */
async function kindsAtSigner(object: Stub): Promise<string[]> {
  const { signer, publication } = (await object.inspect()) ?? {};
  const query = 'SELECT kind FROM step WHERE id > ? AND id < ? ORDER BY seq';
  return runInDurableObject(SIGNERS.getByName(signer ?? ''), (_, { storage }) =>
    storage.sql
      .exec<{ kind: string }>(query, ...stepIdRange(publication?.id ?? ''))
      .toArray()
      .map(({ kind }) => kind),
  );
}

async function change(object: Stub, state: WantedState) {
  const accepted = await object.update({ client: 'acme', state });
  if (accepted?.type !== 'accepted') throw new Error('the pass refuses the change');
  return accepted;
}

describe.each([
  ['REVOKED', 'revoke'],
  ['FROZEN', 'freeze'],
] as const)('a change to %s', (state, kind) => {
  it('reaches the signer from the request', async () => {
    const object = await anActivePass();
    await handOver([await change(object, state)], backend());
    await eventually(async () => expect(await kindsAtSigner(object)).toEqual([kind]));
  });

  it('reaches the signer from the alarm of the pass', async () => {
    const object = await anActivePass();
    await change(object, state);
    await runDurableObjectAlarm(object);
    expect(await kindsAtSigner(object)).toEqual([kind]);
  });
});

it('reaches the signer from a bulk request, for each of its passes', async () => {
  const objects = await Promise.all(Array.from({ length: 3 }, anActivePass));
  const accepted = await Promise.all(objects.map((object) => change(object, 'FROZEN')));
  const parts = backend();
  await handOver(accepted, { ...parts, queue: parts.bulkQueue });
  await eventually(async () =>
    expect(await Promise.all(objects.map(kindsAtSigner))).toEqual([['freeze'], ['freeze'], ['freeze']]),
  );
});

it('leaves a change that gives access to the queue', async () => {
  const object = await anActivePass();
  const frozen = await change(object, 'FROZEN');
  const active = await object.update({ client: 'acme', expiry: 4_000_000_000, state: 'ACTIVE' });
  expect([frozen.isUrgent, active?.type === 'accepted' && active.isUrgent]).toEqual([true, false]);
});
