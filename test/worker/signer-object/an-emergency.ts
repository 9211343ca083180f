import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, vi } from 'vitest';
import { type EffectiveLists, unconfirmedSigners } from '../../../ops/emergency/unconfirmed.ts';
import { signerNameOf } from '../../../src/config/signers.ts';
import { GATEKEEPERS } from '../../../tools/localnet/ethereum/gatekeepers.ts';
import { eventually } from '../../eventually.ts';
import { asking } from '../chain/a-step.ts';
import { aStep, mine, sepolia } from '../chain/ethereum/node.ts';
import { configureObject, keepAlive } from '../configure-object.ts';
import { workerWith } from '../http/api.ts';
import { TRUSTING } from '../http/issuer.ts';
import { anOperator } from '../http/operator.ts';

/**
 * An emergency while running objects keep their variables, as the platform leaves them those of before for up to 300 seconds: the
 * isolates of the Worker have the new secrets, and the objects of the test runtime never get them.
 */

const KEPT_MS = 300_000;
const [LEAKED] = GATEKEEPERS;
const theSigner = () => (env as Env).SIGNERS.getByName(signerNameOf(sepolia()));

/** Has the operator ask isolates with these lists as `npm run emergency` does, until every signer has confirmed them. */
export async function untilConfirmed(number: number, compromised = '', suspended = ''): Promise<EffectiveLists> {
  const secrets = {
    EMERGENCY_NUMBER: String(number),
    COMPROMISED_GATEKEEPERS: compromised,
    SUSPENDED_CLIENTS: suspended,
  };
  const ops = await anOperator({}, workerWith({ ...TRUSTING, ...secrets }));
  return eventually(async () => {
    const lists = JSON.parse((await ops.call('GET', '/admin/signers')).text) as EffectiveLists;
    expect(lists.emergencyNumber).toBe(number);
    expect(unconfirmedSigners(lists)).toEqual([]);
    return lists;
  });
}

const signed = () =>
  runInDurableObject(theSigner(), (_, { storage }) => ({
    nonce: storage.kv.get<number>('nextNonce') ?? 0,
    waiting: storage.sql.exec<{ n: number }>("SELECT count(*) AS n FROM step WHERE status = 'waiting'").one().n,
  }));
/** Has the signer work as often as its alarm would, with blocks that make room for more transactions. */
async function work(times: number): Promise<void> {
  for (let done = 0; done < times; done += 1) {
    await mine();
    await runInDurableObject(theSigner(), (object) => object.alarm());
  }
}

/** Stops the key of the signer while it signs that many steps, and returns how many steps then wait. */
export async function stopBusySigner(steps: number): Promise<number> {
  const number = Date.now();
  // As on a public network, a signer has few transactions in no block.
  const { NETWORKS = '{}' } = env as unknown as Record<string, string>;
  const networks = JSON.parse(NETWORKS);
  await theSigner().begin();
  await evictDurableObject(theSigner());
  keepAlive(theSigner());
  await configureObject(theSigner(), {
    NETWORKS: JSON.stringify({ ...networks, sepolia: { ...networks.sepolia, unmined: 16 } }),
  });
  await theSigner().submit(asking(aStep()));
  const before = await signed();
  const busy = theSigner().submit(asking(...Array.from({ length: steps }, () => aStep())));
  const working = busy.then(() => work(3));
  await eventually(async () => expect((await signed()).nonce).toBeGreaterThan(before.nonce));
  await untilConfirmed(number, LEAKED);
  const stopped = await signed();
  await working;
  expect(stopped.waiting).toBeGreaterThan(0);
  await work(3);
  expect(await signed()).toEqual(stopped);
  // Neither does a later time make it sign, replace, or fill a nonce. Isolates with older lists change nothing.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + KEPT_MS });
  const ops = await anOperator({}, workerWith({ ...TRUSTING, EMERGENCY_NUMBER: String(number - 1) }));
  await ops.call('GET', '/admin/signers');
  await work(3);
  expect(await signed()).toEqual(stopped);
  vi.useRealTimers();
  // The key was no leaked one. A higher number ends the emergency, and the steps continue.
  await untilConfirmed(number + 1);
  // The signer first follows the transactions that were in no block.
  await eventually(async () => {
    await work(1);
    expect((await signed()).nonce).toBeGreaterThan(stopped.nonce);
  });
  await theSigner().endWaitingSteps({ kinds: ['issue'] }, steps);
  await work(2);
  return stopped.waiting;
}
