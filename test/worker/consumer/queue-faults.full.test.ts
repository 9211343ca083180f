import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { base58 } from '@scure/base';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { signerNameOf } from '../../../src/config/signers.ts';
import type { Wallet } from '../../../src/network/wallet.ts';
import { type PassKey, passName } from '../../../src/pass/pass.ts';
import type { Submission } from '../../../src/pass/step.ts';
import { eventually } from '../../eventually.ts';
import { mintAnother } from '../chain/ethereum/issuing.ts';
import { aStep, mine, minedOfGatekeeper, sepolia } from '../chain/ethereum/node.ts';
import { partner, QUEUE_THAT_FAILS, seededPartner, workerWith } from '../http/api.ts';
import { aWallet } from '../http/wallets.ts';
import { issueWithSigner } from '../issue-with-signer.ts';
import { commitsAndFails, failing, UnreliableDatabase } from '../store/unreliable.ts';
import { holdAlarms } from '../without-alarms.ts';
import { aRequestedPass, bindings, deliver, deliverWith, objectOf, processPass, recordOf, signer } from './deliver.ts';

/** Faults of the queue and around a batch: nothing is lost, and nothing is done twice. */

const SEPOLIA = 'ethereum/sepolia';
const LATER = 1_900_000_000;
const acme = await partner('acme');
const { gatekeeperNetwork } = seededPartner('acme');

afterEach(() => mine(4));

/** Acme with messages that the test delivers, at any time and any number of times. */
function acmeWithHeldMessages() {
  const messages: unknown[] = [];
  const PASS_QUEUE = {
    async sendBatch(sent: Iterable<MessageSendRequest>): Promise<void> {
      messages.push(...[...sent].map(({ body }) => body));
    },
  };
  return { api: acme.through(workerWith({ PASS_QUEUE })), messages };
}

const keyOf = (wallet: Wallet): PassKey => ({ gatekeeperNetwork, chain: 'ethereum', network: 'sepolia', wallet });
const eventsOf = async (key: PassKey) => (await recordOf(key))?.events.map(({ eventType }) => eventType);
const sentOf = async (key: PassKey) => (await recordOf(key))?.events.map(({ transaction }) => transaction?.status);
const becomes = (key: PassKey, onChainState: string) =>
  eventually(async () => expect(await recordOf(key)).toMatchObject({ onChainState }), 20);

/** Returns a final pass and the messages that were sent until then. */
async function anActivePass() {
  const { api, messages } = acmeWithHeldMessages();
  const wallet = aWallet();
  await api.issue(SEPOLIA, wallet);
  await deliver(...messages);
  await becomes(keyOf(wallet), 'ACTIVE');
  await mine(4);
  return { api, messages, wallet, key: keyOf(wallet) };
}

describe('messages under the faults of a queue', () => {
  it('duplicated messages make one transaction, in one batch, at the same time and later', async () => {
    const key = await aRequestedPass();
    const before = await minedOfGatekeeper();
    await Promise.all([
      deliver(processPass(key), processPass(key)),
      deliver(processPass(key)),
      deliver(processPass(key)),
    ]);
    await becomes(key, 'ACTIVE');
    await deliver(processPass(key), processPass(key));
    await mine();
    expect(await minedOfGatekeeper()).toBe(before + 1);
    expect(await eventsOf(key)).toEqual(['TOKEN_ISSUED_INITIATED', 'TOKEN_ISSUED']);
  });

  it('reordered messages do what was wanted last', async () => {
    const { api, messages, wallet, key } = await anActivePass();
    const before = await minedOfGatekeeper();
    await api.update(SEPOLIA, wallet, { state: 'FROZEN' });
    await api.update(SEPOLIA, wallet, { state: 'ACTIVE' });
    await api.update(SEPOLIA, wallet, { state: 'FROZEN' });
    for (const message of messages.toReversed()) await deliver(message);
    await becomes(key, 'FROZEN');
    expect(await minedOfGatekeeper()).toBe(before + 1);
    expect((await eventsOf(key))?.slice(2)).toEqual(['TOKEN_FROZEN_INITIATED', 'TOKEN_FROZEN']);
  });

  it('lost messages are made up for by the alarm of the pass', async () => {
    const key = await aRequestedPass();
    expect(await recordOf(key)).toBeUndefined();
    await runDurableObjectAlarm(objectOf(key));
    await becomes(key, 'ACTIVE');
  });

  it('messages that are delayed until all is done change nothing', async () => {
    const { api, messages, wallet, key } = await anActivePass();
    await api.revoke(SEPOLIA, wallet);
    await deliver(processPass(key));
    await becomes(key, 'REVOKED');
    const [before, record] = [await minedOfGatekeeper(), await recordOf(key)];
    expect((await deliver(...messages)).explicitAcks).toHaveLength(messages.length);
    await mine();
    expect(await minedOfGatekeeper()).toBe(before);
    expect(await recordOf(key)).toEqual(record);
  });

  it('poisoned messages are retried, and the other messages of their batch are processed', async () => {
    const key = await aRequestedPass();
    const poison = [
      'rubbish',
      null,
      { kind: 'other' },
      { kind: 'process-pass' },
      processPass({ ...key, chain: 'bitcoin' as 'solana' }),
    ];
    const { explicitAcks, retryMessages } = await deliver(...poison, processPass(key));
    expect(explicitAcks).toEqual(['m5']);
    expect(retryMessages.map(({ msgId }: { msgId: string }) => msgId)).toEqual(['m0', 'm1', 'm2', 'm3', 'm4']);
    expect(await sentOf(key)).toEqual(['sent']);
  });
});

describe('a batch that half succeeds', () => {
  const GONE = () => Promise.reject(new Error('the object cannot be reached'));
  /** Two passes on which only the test works, until it releases the alarms. */
  const two = async () => {
    const releaseAlarms = holdAlarms();
    onTestFinished(releaseAlarms);
    return [await aRequestedPass(), await aRequestedPass(), releaseAlarms] as const;
  };
  /** Returns a namespace in which one object is replaced. */
  const except = (namespace: 'PASSES' | 'SIGNERS', name: string, changed: Readonly<Record<string, unknown>>) => ({
    [namespace]: { getByName: (each: string) => (each === name ? changed : bindings[namespace].getByName(each)) },
  });

  it('retries the message of a pass object that cannot be reached, and processes the other passes', async () => {
    const [lost, other, releaseAlarms] = await two();
    const broken = except('PASSES', passName(lost), { pinStep: GONE });
    const { explicitAcks, retryMessages } = await deliverWith(broken, processPass(lost), processPass(other));
    expect([explicitAcks, retryMessages]).toMatchObject([['m1'], [{ msgId: 'm0' }]]);
    expect([await sentOf(lost), await sentOf(other)]).toEqual([undefined, ['sent']]);
    releaseAlarms();
    await deliver(processPass(lost));
    expect(await sentOf(lost)).toEqual(['sent']);
  });

  it('records an answer later when the pass object fails before it records it, and sends nothing twice', async () => {
    const before = await minedOfGatekeeper();
    const [lost, other, releaseAlarms] = await two();
    const broken = except('PASSES', passName(lost), { pinStep: () => objectOf(lost).pinStep(), recordAnswers: GONE });
    await deliverWith(broken, processPass(lost), processPass(other));
    expect([await sentOf(lost), await sentOf(other)]).toEqual([undefined, ['sent']]);
    releaseAlarms();
    await deliver(processPass(lost));
    await becomes(lost, 'ACTIVE');
    await becomes(other, 'ACTIVE');
    expect(await minedOfGatekeeper()).toBe(before + 2);
  });

  it('processes the passes of other signers when one signer is down, and tries its passes again', async () => {
    const releaseAlarms = holdAlarms();
    onTestFinished(releaseAlarms);
    const on = await aRequestedPass();
    const elsewhere: PassKey = { ...keyOf(aWallet()), network: 'baseSepolia' };
    const down = signerNameOf(sepolia()).replace('/sepolia/', '/baseSepolia/');
    await issueWithSigner(elsewhere, down);
    const broken = except('SIGNERS', down, { submit: GONE });
    const { explicitAcks } = await deliverWith(broken, processPass(elsewhere), processPass(on));
    expect(explicitAcks).toEqual(['m0', 'm1']);
    expect([await sentOf(elsewhere), await sentOf(on)]).toEqual([undefined, ['sent']]);
    releaseAlarms();
    await runDurableObjectAlarm(objectOf(elsewhere));
    await becomes(elsewhere, 'ACTIVE');
  });

  it.each([
    ['is unavailable', failing('D1_ERROR: away')],
    ['commits and answers with an error', commitsAndFails],
  ])('reports an outcome again, and records it once, when D1 %s', async (_, manner) => {
    onTestFinished(holdAlarms());
    const key = await aRequestedPass();
    // Somebody else was faster, so the first answer of the signer is the outcome.
    await mintAnother({ ...aStep(), key });
    await mine(4);
    const database = new UnreliableDatabase();
    database.manner = manner;
    const acknowledge = vi.fn();
    const submit = (inquiries: readonly Submission[]) => signer().submit(inquiries);
    const SIGNERS = { getByName: () => ({ submit, acknowledge }) };
    const { explicitAcks } = await deliverWith({ DB: database, SIGNERS }, processPass(key));
    expect(explicitAcks).toEqual(['m0']);
    expect(acknowledge).not.toHaveBeenCalled();
    const { question, signer: name } = (await objectOf(key).readOnChain()) ?? {};
    const id = question?.pass;
    await deliverWith({ SIGNERS }, { ...processPass(key), news: { signer: name, id } });
    expect(acknowledge).toHaveBeenCalledTimes(1);
    expect(await eventsOf(key)).toEqual(['TOKEN_ISSUED_INITIATED', 'TOKEN_ISSUED']);
  });

  it('asks again by the alarm of the pass when the consumer’s own sends fail', async () => {
    const expiries = (key: PassKey) =>
      runInDurableObject(signer(), (_, { storage }) =>
        storage.sql.exec('SELECT expiry FROM step WHERE wallet = ? ORDER BY seq', key.wallet).toArray(),
      );
    // The key is not a gatekeeper there, so a request waits until a newer one supersedes it.
    const key = await aRequestedPass(base58.encode(crypto.getRandomValues(new Uint8Array(32))));
    await deliver(processPass(key));
    await objectOf(key).update({ client: 'acme', expiry: LATER });
    await deliverWith({ PASS_QUEUE: QUEUE_THAT_FAILS }, processPass(key));
    expect(await expiries(key)).toEqual([{ expiry: null }]);
    await runDurableObjectAlarm(objectOf(key));
    await eventually(async () => expect(await expiries(key)).toEqual([{ expiry: null }, { expiry: LATER }]));
  });
});
