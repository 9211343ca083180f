import { describe, expect, it } from 'vitest';
import type { PassKey } from '../../../src/pass/pass.ts';
import { defaultContract } from '../../default-contract.ts';
import { eventually } from '../../eventually.ts';
import { issueAnother } from '../chain/solana/issuing.ts';
import { aStep, byGatekeeper, change, makeSlotsByHand, untilConfirmed, untilFinal } from '../chain/solana/node.ts';
import { deliver, objectOf, processPass, recordOf } from '../consumer/deliver.ts';
import { partner } from '../http/api.ts';
import { TestWatcher, validityOf } from './a-watcher.ts';

/** Changes on the localnet's Solana node by somebody else with the same key. The test runs the intervals. */

makeSlotsByHand();

await partner('acme');

const [FREEZE, UNFREEZE, REVOKE, BURN] = [1, 0, 2, undefined] as const;
const stepOf = (key: PassKey) => ({ ...aStep(), key });
const changedByOther = async (key: PassKey, state: 0 | 1 | 2 | undefined) =>
  byGatekeeper(await change(stepOf(key), state));

async function anActivePass(): Promise<PassKey> {
  const { key } = aStep();
  await objectOf(key).issue({ key, shard: 'DB', contract: defaultContract(key), client: 'acme', waits: false });
  await eventually(async () => {
    await deliver(processPass(key));
    await untilConfirmed();
    expect((await recordOf(key))?.onChainState).toBe('ACTIVE');
  }, 50);
  await untilFinal();
  return key;
}

const begin = () => TestWatcher.begin({ network: 'devnet' });
const newest = async (key: PassKey) => (await recordOf(key))?.events.at(-1);

describe('a change by others on Solana', () => {
  it.each`
    deed        | state     | onChainState | event
    ${'freeze'} | ${FREEZE} | ${'FROZEN'}  | ${'TOKEN_FROZEN'}
    ${'revoke'} | ${REVOKE} | ${'REVOKED'} | ${'TOKEN_REVOKED'}
    ${'burn'}   | ${BURN}   | ${'NONE'}    | ${'TOKEN_REVOKED'}
  `('$deed refuses the wallet at once, and is recorded when it is final', async ({ state, onChainState, event }) => {
    const key = await anActivePass();
    const watcher = await begin();
    await changedByOther(key, state);
    await watcher.interval();
    expect(await validityOf(key)).toMatchObject({ onChainState: 'ACTIVE', isPending: true });
    await untilFinal();
    await watcher.interval();
    expect(await validityOf(key)).toMatchObject({ onChainState, isPending: false });
    expect(await newest(key)).toMatchObject({
      eventType: event,
      transaction: { identifier: expect.any(String) },
      byOthers: { gatekeeper: expect.any(String) },
    });
    expect(await watcher.status()).toMatchObject({ waiting: 0, foreignChanges: 1, why: null });
  });

  it('an unfreeze and a new token count only when they are final', async () => {
    const key = await anActivePass();
    const watcher = await begin();
    await changedByOther(key, FREEZE);
    await untilFinal();
    await watcher.interval();
    await changedByOther(key, UNFREEZE);
    await watcher.interval();
    expect(await validityOf(key)).toMatchObject({ onChainState: 'FROZEN' });
    await untilFinal();
    await watcher.interval();
    expect(await validityOf(key)).toMatchObject({ onChainState: 'ACTIVE' });
    await changedByOther(key, BURN);
    await issueAnother(stepOf(key), 0, 1_900_000_000);
    await untilFinal();
    await watcher.interval(2);
    expect(await validityOf(key)).toMatchObject({ onChainState: 'ACTIVE', until: 1_900_000_000, isPending: false });
    expect(await watcher.status()).toMatchObject({ waiting: 0 });
  });

  it('creates no pass, but is counted, if it issues a token to a wallet without one', async () => {
    const watcher = await begin();
    const step = aStep();
    await issueAnother(step, 0);
    await watcher.interval();
    const { gatekeeperNetwork } = step.key;
    const tokens = (await watcher.status()).issuedByOthers;
    expect(tokens).toMatchObject([{ gatekeeperNetwork, gatekeeper: expect.any(String), tokens: 1 }]);
  });

  it('by the service itself costs no reading', async () => {
    const watcher = await begin();
    await anActivePass();
    await watcher.interval(2);
    expect(await watcher.status()).toMatchObject({ waiting: 0, foreignChanges: 0, issuedByOthers: [] });
  });
});
