import { runInDurableObject } from 'cloudflare:test';
import { base58 } from '@scure/base';
import { afterEach, describe, expect, it } from 'vitest';
import type { PassKey } from '../../../src/pass/pass.ts';
import { eventually } from '../../eventually.ts';
import { mine, minedOfGatekeeper } from '../chain/ethereum/node.ts';
import { withoutBlocks } from '../http/node.ts';
import { aRequestedPass, deliver, objectOf, processPass, recordOf, signer } from './deliver.ts';

/** The consumer processes passes whose wanted state changed. */

const LATER = 1_900_000_000;

afterEach(() => mine(4));

const becomes = (key: PassKey, state: string) =>
  eventually(async () => expect((await recordOf(key))?.onChainState).toBe(state), 20);

async function anActivePass(): Promise<PassKey> {
  const key = await aRequestedPass();
  await deliver(processPass(key));
  await mine();
  await becomes(key, 'ACTIVE');
  return key;
}

/** The key is not a gatekeeper there, so every request waits. */
const aWaitingPass = async (): Promise<PassKey> => {
  const key = await aRequestedPass(base58.encode(crypto.getRandomValues(new Uint8Array(32))));
  await deliver(processPass(key));
  return key;
};

const eventsOf = async (key: PassKey) =>
  (await recordOf(key))?.events.map(({ eventType, reason }) => (reason ? `${eventType}: ${reason}` : eventType));

/** Returns the steps of the pass in its signer. */
const stepsOf = (key: PassKey) =>
  runInDurableObject(signer(), (_, { storage }) =>
    storage.sql
      .exec('SELECT kind, expiry, answer, unacknowledged FROM step WHERE wallet = ? ORDER BY seq', key.wallet)
      .toArray()
      .map(({ answer, ...row }) => ({ ...row, status: JSON.parse(String(answer)).type })),
  );

describe('a queue message for a changed pass', () => {
  it('a message that arrives again and again after a change makes one step', async () => {
    const key = await anActivePass();
    await mine(3);
    const before = await minedOfGatekeeper();
    await objectOf(key).update({ client: 'acme', state: 'FROZEN' });
    await Promise.all([
      deliver(processPass(key), processPass(key)),
      deliver(processPass(key)),
      deliver(processPass(key)),
    ]);
    await mine();
    await becomes(key, 'FROZEN');
    await deliver(processPass(key), processPass(key));
    await mine();
    expect(await minedOfGatekeeper()).toBe(before + 1);
    expect((await eventsOf(key))?.slice(2)).toEqual(['TOKEN_FROZEN_INITIATED', 'TOKEN_FROZEN']);
  });

  it('a message from before a change does what is wanted now', async () => {
    const key = await anActivePass();
    await mine(3);
    const old = processPass(key);
    await objectOf(key).update({ client: 'acme', state: 'FROZEN' });
    await objectOf(key).update({ client: 'acme', state: 'REVOKED' });
    await deliver(old);
    await mine();
    await becomes(key, 'REVOKED');
    expect((await eventsOf(key))?.slice(2)).toEqual(['TOKEN_REVOKED_INITIATED', 'TOKEN_REVOKED']);
  });
});

describe('a step that is no longer wanted', () => {
  it('withdraws a step that is not signed, and tells the signer that the pass has recorded it', async () => {
    const key = await aWaitingPass();
    expect(await stepsOf(key)).toMatchObject([{ kind: 'issue', status: 'waiting' }]);
    await objectOf(key).update({ client: 'acme', state: 'REVOKED' });
    await deliver(processPass(key));
    expect((await eventsOf(key))?.slice(0, 2)).toEqual(['TOKEN_ISSUED_INITIATED', 'TOKEN_ISSUED_FAILED: superseded']);
    expect((await stepsOf(key))[0]).toMatchObject({ status: 'withdrawn', unacknowledged: 0 });
    await deliver(processPass(key));
    // It reads the chain once for the revocation.
    await eventually(async () => expect(await stepsOf(key)).toMatchObject([{ kind: 'issue' }, { kind: 'revoke' }]));
    await deliver(processPass(key));
    expect(await stepsOf(key)).toHaveLength(2);
  });

  it('withdraws an issuance in favor of one with another expiry, and records both as one issuance', async () => {
    const key = await aWaitingPass();
    await objectOf(key).update({ client: 'acme', expiry: LATER });
    await deliver(processPass(key));
    await eventually(async () =>
      expect(await stepsOf(key)).toMatchObject([
        { kind: 'issue', expiry: null, status: 'withdrawn' },
        { kind: 'issue', expiry: LATER, status: 'waiting' },
      ]),
    );
    expect(await eventsOf(key)).toEqual(['TOKEN_ISSUED_INITIATED']);
  });

  it('withdraws a freeze while the token that it names is not final, without a transaction', async () => {
    await withoutBlocks('sepolia', async () => {
      const key = await anActivePass();
      const before = await minedOfGatekeeper();
      await objectOf(key).update({ client: 'acme', state: 'FROZEN' });
      await deliver(processPass(key));
      expect((await stepsOf(key)).at(-1)).toMatchObject({ kind: 'freeze', status: 'waiting' });
      await objectOf(key).update({ client: 'acme', state: 'ACTIVE' });
      await deliver(processPass(key));
      expect((await eventsOf(key))?.slice(2)).toEqual(['TOKEN_FROZEN_INITIATED', 'TOKEN_FROZEN_FAILED: superseded']);
      await mine(4);
      await deliver(processPass(key));
      await mine();
      expect(await minedOfGatekeeper()).toBe(before);
    });
  });

  it('finishes a step that was sent, and takes it back with another step', async () => {
    const key = await anActivePass();
    await mine(3);
    await withoutBlocks('sepolia', async () => {
      await objectOf(key).update({ client: 'acme', state: 'FROZEN' });
      await deliver(processPass(key));
      await objectOf(key).update({ client: 'acme', state: 'ACTIVE' });
      await deliver(processPass(key));
      expect((await stepsOf(key)).at(-1)).toMatchObject({ kind: 'freeze', status: 'sent' });
    });
    await eventually(
      async () =>
        expect((await eventsOf(key))?.slice(2)).toEqual([
          'TOKEN_FROZEN_INITIATED',
          'TOKEN_FROZEN',
          'TOKEN_UNFROZEN_INITIATED',
          'TOKEN_UNFROZEN',
        ]),
      20,
    );
    expect(await recordOf(key)).toMatchObject({ state: 'ACTIVE', onChainState: 'ACTIVE' });
  });
});
