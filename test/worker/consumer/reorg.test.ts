import { runDurableObjectAlarm } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { PassKey } from '../../../src/pass/pass.ts';
import { FINALITY_TRACK_MS } from '../../../src/signer-object/schedule.ts';
import { eventually } from '../../eventually.ts';
import { callSepolia, mine, minedOfGatekeeper } from '../chain/ethereum/node.ts';
import { withoutBlocks } from '../http/node.ts';
import { aRequestedPass, deliver, objectOf, processPass, recordOf, signer } from './deliver.ts';

/** Partners' view of a block with their transaction that leaves the chain: from the real node to the read model. */

afterEach(async () => {
  vi.useRealTimers();
  await mine(4);
});

const becomes = (key: PassKey, state: string) =>
  eventually(async () => expect((await recordOf(key))?.onChainState).toBe(state), 20);

/** Has the step of a new pass sent. A signer that meets a contract first asks the watcher for its code. */
const send = (key: PassKey) =>
  eventually(async () => {
    await deliver(processPass(key));
    expect(await eventsOf(key)).toContain('TOKEN_ISSUED_INITIATED sent');
  });

let later = 0;

/** Makes the signer track everything in flight, and the consumer process its outcomes. */
async function lookedAt(key: PassKey): Promise<void> {
  later += FINALITY_TRACK_MS;
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + later });
  await runDurableObjectAlarm(signer());
  await deliver(processPass(key));
  vi.useRealTimers();
}

/** Returns the usage of the pass's network: the issuances of all months, and the active passes now. */
async function usageOf({ gatekeeperNetwork, network }: PassKey): Promise<{ issued: number; active: number }> {
  const sql = `SELECT sum(issued) AS issued, sum(active) AS active FROM usage WHERE gatekeeper_network = ? AND network = ?`;
  const usage = await (env as Env).DB.prepare(sql).bind(gatekeeperNetwork, network).first();
  return { issued: Number(usage?.issued), active: Number(usage?.active) };
}

/** Lets signer and consumer look until the record has these values: an alarm that fires at the same time may have looked before. */
const isSeen = (key: PassKey, record: object, meanwhile: () => Promise<unknown> = async () => {}) =>
  eventually(async () => {
    await lookedAt(key);
    await meanwhile();
    expect(await recordOf(key)).toMatchObject(record);
  });

const eventsOf = async (key: PassKey) =>
  (await recordOf(key))?.events.map(({ eventType, transaction }) => `${eventType} ${transaction?.status}`);

describe('a reorg within the finality depth', () => {
  it('a reorg takes an issuance back, adds an event …_REORGED, and the same transaction is confirmed again', async () => {
    await withoutBlocks('sepolia', async () => {
      const key = await aRequestedPass();
      await send(key);
      const before = await minedOfGatekeeper();
      const { issued: issuances, active } = await usageOf(key);
      await mine();
      await becomes(key, 'ACTIVE');
      expect(await usageOf(key)).toEqual({ issued: issuances + 1, active: active + 1 });
      const [issued] = (await recordOf(key))?.events ?? [];

      await callSepolia('anvil_reorg', 1, []);
      await isSeen(key, { state: 'REQUESTED', onChainState: 'NONE' });
      expect(await eventsOf(key)).toEqual([
        'TOKEN_ISSUED_INITIATED sent',
        'TOKEN_ISSUED sent',
        'TOKEN_ISSUED_REORGED sent',
      ]);

      expect(await usageOf(key)).toEqual({ issued: issuances, active });

      // The same bytes are sent again.
      await isSeen(key, { state: 'ACTIVE', onChainState: 'ACTIVE' }, mine);
      expect(await eventsOf(key)).toEqual([
        'TOKEN_ISSUED_INITIATED confirmed',
        'TOKEN_ISSUED confirmed',
        'TOKEN_ISSUED_REORGED confirmed',
        'TOKEN_ISSUED confirmed',
      ]);
      expect(await usageOf(key)).toEqual({ issued: issuances + 1, active: active + 1 });
      expect((await recordOf(key))?.events.at(-1)?.transaction).toEqual(issued?.transaction);
      expect(await minedOfGatekeeper()).toBe(before + 1);
    });
  });

  it('a reorg leaves the pass unsettled until its transaction is confirmed again', async () => {
    await withoutBlocks('sepolia', async () => {
      const key = await aRequestedPass();
      await send(key);
      await mine();
      await becomes(key, 'ACTIVE');
      await callSepolia('anvil_reorg', 1, []);
      await isSeen(key, { onChainState: 'NONE' });
      expect(await objectOf(key).inspect()).toMatchObject({ isSettled: false });
      await isSeen(key, { onChainState: 'ACTIVE' }, mine);
      expect(await objectOf(key).inspect()).toMatchObject({ isSettled: true });
    });
  });
});
