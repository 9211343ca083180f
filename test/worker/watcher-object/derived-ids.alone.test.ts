import { afterEach, beforeAll, expect, it } from 'vitest';
import type { PassKey } from '../../../src/pass/pass.ts';
import { eventually } from '../../eventually.ts';
import { tokenData, tokenIdOf, tokensOf } from '../chain/ethereum/issuing.ts';
import { aStep, makeBlocksByHand, mine } from '../chain/ethereum/node.ts';
import { accounts, mintAsOther, sendAs, setGatekeeper } from '../chain/ethereum/others.ts';
import { bindings, deliver, objectOf, processPass, recordOf } from '../consumer/deliver.ts';
import { aNight } from '../consumer/reconciliation-night.ts';
import { partner } from '../http/api.ts';
import { installSlimContract, SLIM_CONTRACT } from '../second-contract.ts';
import { TestWatcher, validityOf } from './a-watcher.ts';

/** Another gatekeeper burns the token of a pass and mints it again in a contract of the build SlimGateway, before the watcher looks. */

const EXPIRY = 2_000_000_000;
makeBlocksByHand();
afterEach(() => mine(4));

const stepOf = (key: PassKey) => ({ ...aStep({ contract: SLIM_CONTRACT }), key });

beforeAll(async () => {
  await partner('acme');
  await installSlimContract();
  const { key } = aStep();
  const contracts = JSON.stringify({ sepolia: SLIM_CONTRACT });
  await bindings.DB.prepare('UPDATE gatekeeper_networks SET contracts = ? WHERE key = ?')
    .bind(contracts, key.gatekeeperNetwork)
    .run();
  await setGatekeeper(stepOf(key), (await accounts()).other, true);
});

async function anActivePass(): Promise<PassKey> {
  const { key } = aStep();
  await objectOf(key).issue({ key, contract: SLIM_CONTRACT, client: 'acme', expiry: EXPIRY, waits: false });
  await deliver(processPass(key));
  await mine();
  await eventually(async () => {
    await deliver(processPass(key));
    expect((await recordOf(key))?.onChainState).toBe('ACTIVE');
  }, 20);
  await mine(3);
  return key;
}

async function replaceToken(key: PassKey): Promise<void> {
  const step = stepOf(key);
  await sendAs((await accounts()).other, SLIM_CONTRACT, tokenData('burn', await tokenIdOf(step)));
  await mintAsOther(step, EXPIRY);
}

const issuerOf = async (key: PassKey) => (await objectOf(key).readPublication())?.validity.issuedBy;
const typesOf = async (key: PassKey, from: number) =>
  (await recordOf(key))?.events.slice(from).map(({ eventType }) => eventType);

it('records the burn and the new token, although the state is the same, and forgets the issuer', async () => {
  const key = await anActivePass();
  const { length } = (await recordOf(key))?.events ?? [];
  expect(await issuerOf(key)).toMatch(/^0x/);
  const watcher = await TestWatcher.begin();
  await replaceToken(key);
  await watcher.interval();
  expect(await watcher.status()).toMatchObject({ waiting: 1 });
  await mine(2);
  await watcher.interval();
  expect(await typesOf(key, length)).toEqual(['TOKEN_REVOKED', 'TOKEN_ISSUED']);
  expect(await recordOf(key)).toMatchObject({ state: 'ACTIVE', onChainState: 'ACTIVE' });
  expect(await validityOf(key)).toMatchObject({ onChainState: 'ACTIVE', isPending: false });
  expect(await issuerOf(key)).toBeNull();
  expect(await watcher.status()).toMatchObject({ waiting: 0, why: null });
});

it.each([
  ['withdraws', 'set-expiry', { expiry: 2_100_000_000 }, 'ACTIVE'],
  ['continues', 'freeze', { state: 'FROZEN' }, 'FROZEN'],
  ['continues', 'revoke', { state: 'REVOKED' }, 'REVOKED'],
] as const)('%s a %s that was pinned before the burn', async (_, kind, change, state) => {
  const key = await anActivePass();
  const { length } = (await recordOf(key))?.events ?? [];
  const watcher = await TestWatcher.begin();
  await objectOf(key).update({ client: 'acme', ...change });
  expect((await objectOf(key).pinStep())?.step?.kind).toBe(kind);
  await replaceToken(key);
  await mine(2);
  await watcher.interval(2);
  await eventually(async () => {
    await deliver(processPass(key));
    await mine();
    expect((await objectOf(key).inspect())?.isSettled).toBe(true);
    // The read model follows the object.
    expect(await recordOf(key)).toMatchObject({ state, onChainState: state });
  }, 20);
  await mine(3);
  expect(await typesOf(key, length)).toEqual(expect.arrayContaining(['TOKEN_REVOKED', 'TOKEN_ISSUED']));
  expect(await tokensOf(stepOf(key))).toEqual([{ state, expiry: EXPIRY }]);
});

it('is found by the nightly reconciliation too, if the watcher has not seen it', async () => {
  const key = await anActivePass();
  const { length } = (await recordOf(key))?.events ?? [];
  await replaceToken(key);
  await mine(3);
  await aNight();
  expect(await typesOf(key, length)).toEqual(['TOKEN_REVOKED', 'TOKEN_ISSUED']);
});
