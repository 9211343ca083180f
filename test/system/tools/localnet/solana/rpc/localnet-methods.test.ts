import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { stopChildren } from '../../../../../../terminal/child-process.ts';
import { startSolanaNode } from '../../../../../../tools/localnet/solana/start-node.ts';
import { findFreePort } from '../../../../../../tools/localnet/state/ports.ts';
import { pollUntil } from '../../../../poll-until.ts';
import { freshOwner, SolanaNodeClient } from './solana-node-client.ts';

let client: SolanaNodeClient;

beforeAll(async () => {
  const node = await startSolanaNode({ network: 'devnet', port: await findFreePort() }, { slotMs: 0 });
  client = new SolanaNodeClient(node.rpcUrl);
});

beforeEach(() => client.call('localnet_advance', 40));
afterAll(stopChildren);

const advance = (blocks = 1) => client.call('localnet_advance', blocks);
const slotAt = (commitment: string) => client.call('getSlot', { commitment });
const heightAt = (commitment: string) => client.call('getBlockHeight', { commitment });
const PROCESSED = { commitment: 'processed' };

describe('localnet_advance and localnet_expireBlockhashes', () => {
  it('localnet_advance makes the requested number of blocks, and skips some slots', async () => {
    const [slot, height] = [await slotAt('processed'), await heightAt('processed')];
    expect(await advance(7)).toBe(await slotAt('processed'));
    expect([await heightAt('processed'), await heightAt('finalized')]).toEqual([height + 7, height + 7 - 32]);
    await advance(57);
    expect([await heightAt('processed'), await slotAt('processed')]).toEqual([height + 64, slot + 68]);
  });

  it('localnet_expireBlockhashes expires every blockhash and the transactions that use it', async () => {
    const { value } = await client.call('getLatestBlockhash', PROCESSED);
    const { signature, wire } = await client.issuance(freshOwner(), value.blockhash);
    await client.send(wire);
    await client.call('localnet_expireBlockhashes');
    expect(await client.call('getBlockHeight', { commitment: 'finalized' })).toBeGreaterThan(
      value.lastValidBlockHeight,
    );
    for (const commitment of ['processed', 'finalized']) {
      expect((await client.call('isBlockhashValid', value.blockhash, { commitment })).value).toBe(false);
    }
    expect(await client.status(signature, true)).toBeNull();
    const { signature: next, wire: fresh } = await client.issuance(freshOwner());
    await client.send(fresh);
    await advance();
    expect(await client.status(next)).toMatchObject({ err: null });
  });
});

describe('localnet_rollBack', () => {
  it('localnet_rollBack drops the newest blocks and their transactions, which land again only when a client sends them again', async () => {
    const blockhash = await client.blockhash();
    const { pass, signature, wire } = await client.issuance(freshOwner(), blockhash);
    await client.send(wire);
    const slot = await advance();
    const height = await heightAt('processed');
    const lost = await client.blockhash();
    await advance();
    expect(await client.status(signature)).toMatchObject({ confirmationStatus: 'confirmed' });

    expect(await client.call('localnet_rollBack', 2)).toBe(slot - 1);
    expect(await client.status(signature, true)).toBeNull();
    expect((await client.call('getAccountInfo', pass, PROCESSED)).value).toBeNull();
    expect((await client.call('isBlockhashValid', lost, PROCESSED)).value).toBe(false);
    expect(await heightAt('processed')).toBe(height - 1);
    // The node does not send a dropped transaction again by itself.
    const again = await advance();
    expect(again).toBeGreaterThan(slot + 1);
    expect(await heightAt('processed')).toBe(height);
    expect(await client.status(signature, true)).toBeNull();
    await client.send(wire);
    const landed = await advance();
    expect(await client.status(signature)).toMatchObject({ slot: landed, err: null });
  });

  it('localnet_rollBack never drops a finalized block', async () => {
    const { signature, wire } = await client.issuance(freshOwner());
    await client.send(wire);
    await advance(33);
    const final = await slotAt('finalized');
    expect(await client.call('localnet_rollBack', 1000)).toBe(final);
    expect(await slotAt('finalized')).toBe(final);
    expect(await client.status(signature, true)).toMatchObject({ confirmationStatus: 'finalized' });
  });
});

it('localnet_setAccount sets an account at every commitment', async () => {
  const address = freshOwner().toBase58();
  const account = { lamports: 7, data: 'AQI=', owner: freshOwner().toBase58(), executable: false };
  await client.call('localnet_setAccount', address, account);
  for (const commitment of ['processed', 'finalized']) {
    const { value } = await client.call('getAccountInfo', address, { commitment, encoding: 'base64' });
    expect(value).toMatchObject({ ...account, data: ['AQI=', 'base64'] });
  }
  await client.call('localnet_setAccount', address, null);
  expect((await client.call('getAccountInfo', address)).value).toBeNull();
});

describe('localnet_fail', () => {
  beforeEach(() => client.call('localnet_heal'));
  const fail = (how: object, rule: object = {}) => client.call('localnet_fail', { how, ...rule });
  const health = () => client.post('{"jsonrpc":"2.0","id":1,"method":"getHealth"}');

  it('the fault "drop" accepts a transaction that never lands', async () => {
    const { signature, wire } = await client.issuance(freshOwner());
    await fail({ drop: true }, { method: 'sendTransaction', times: 1 });
    expect(await client.send(wire, { preflightCommitment: 'processed' })).toBe(signature);
    await advance(3);
    expect(await client.status(signature)).toBeNull();
    await client.send(wire);
    await advance();
    expect(await client.status(signature)).toMatchObject({ err: null });
  });

  it('the fault "delayMs" delays an answer', async () => {
    await fail({ delayMs: 300 }, { method: 'getHealth' });
    const started = Date.now();
    expect(await client.call('getHealth')).toBe('ok');
    expect(Date.now() - started).toBeGreaterThan(290);
  });

  it('the fault "error" refuses a method the configured number of times', async () => {
    await fail(
      { error: { code: -32005, message: 'Node is behind', data: { numSlotsBehind: 42 } } },
      { method: 'getSlot', times: 2 },
    );
    expect(await client.call('getHealth')).toBe('ok');
    const refused = { code: -32005, message: 'Node is behind', data: { numSlotsBehind: 42 } };
    for (const _ of [1, 2]) await expect(client.call('getSlot')).rejects.toMatchObject(refused);
    expect(await client.call('getSlot')).toBeGreaterThan(0);
  });

  it('the faults "http" and "garbage" last until localnet_heal', async () => {
    await fail({ http: 429 });
    expect([(await health()).status, (await health()).status]).toEqual([429, 429]);
    await client.call('localnet_heal');
    await fail({ garbage: true });
    await expect((await health()).json()).rejects.toThrow(SyntaxError);
    await client.call('localnet_heal');
    expect(await (await health()).json()).toMatchObject({ result: 'ok' });
  });

  it('the fault "reset" cuts the connection, and "hang" leaves it without an answer', async () => {
    await fail({ reset: true }, { times: 1 });
    await expect(health()).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
    await fail({ hang: true }, { times: 1 });
    const outcome = await Promise.race([
      health().then(
        () => 'answered',
        () => 'cut',
      ),
      new Promise((resolve) => setTimeout(() => resolve('silence'), 500)),
    ]);
    expect(outcome).toBe('silence');
    expect((await health()).status).toBe(200);
  });

  it('the fault "reset" can lose the answer to a call that the node carried out', async () => {
    const [lost, done] = [await client.issuance(freshOwner()), await client.issuance(freshOwner())];
    await fail({ reset: true }, { method: 'sendTransaction', times: 1 });
    await expect(client.send(lost.wire)).rejects.toThrow();
    await fail({ reset: true, carriedOut: true }, { method: 'sendTransaction', times: 1 });
    await expect(client.send(done.wire)).rejects.toThrow();
    await advance();
    expect(await client.status(lost.signature)).toBeNull();
    expect(await client.status(done.signature)).toMatchObject({ err: null });
  });
});

// The last one: the number of its blocks differs from run to run, and some slots have no block.
it('localnet_setSlotMs makes blocks at that interval, and none by themselves with 0', async () => {
  const before = await slotAt('processed');
  await client.call('localnet_setSlotMs', 10);
  await pollUntil(
    () => slotAt('processed'),
    (slot) => slot > before + 2,
  );
  await client.call('localnet_setSlotMs', 0);
  const slot = await slotAt('processed');
  await sleep(50);
  expect(await slotAt('processed')).toBe(slot);
});
