import { createExecutionContext, createMessageBatch, getQueueResult } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { findDeadLetter, findDeadLetters } from '../../../src/store/dead-letters.ts';
import worker from '../../../src/worker.ts';
import { eventually } from '../../eventually.ts';
import { aStep } from '../chain/ethereum/node.ts';
import { type Api, workerWith } from '../http/api.ts';
import { TRUSTING } from '../http/issuer.ts';
import { anOperator, operator } from '../http/operator.ts';
import { linesOf } from '../lines-of.ts';
import { aRequestedPass, bindings, processPass, recordOf } from './deliver.ts';

/** Messages that the queue gave up. */

const { DB } = bindings;
let printed = vi.spyOn(console, 'error');

async function redrive(body: object, of?: Api): Promise<{ redriven: number; more: boolean }> {
  const { status, text } = await (of ?? (await operator())).post('/admin/redrive', body);
  expect(status).toBe(202);
  return JSON.parse(text);
}

/** The queue delivers them after its last try. */
async function giveUp(letters: Readonly<Record<string, unknown>>, env: Env = bindings) {
  const messages = Object.entries(letters).map(([id, body]) => ({ id, timestamp: new Date(), attempts: 1, body }));
  const batch = createMessageBatch('gatepass-passes-dead', messages);
  const context = createExecutionContext();
  await worker.queue(batch, env);
  return getQueueResult(batch, context);
}

beforeEach(async () => {
  printed = vi.spyOn(console, 'error').mockImplementation(() => {});
  await DB.exec('DELETE FROM dead_letters');
});
afterEach(() => void vi.restoreAllMocks());

describe('a dead letter', () => {
  it('a dead letter is stored with its reason and its body, reported and acknowledged', async () => {
    const message = processPass(aStep().key);
    const slice = { kind: 'reconcile', night: 1 };
    const { explicitAcks } = await giveUp({ d0: message, d1: 'rubbish', d2: slice, d3: null });
    expect(explicitAcks).toEqual(['d0', 'd1', 'd2', 'd3']);
    const kept = async (id: string) => findDeadLetter(DB, id);
    expect(await kept('d0')).toMatchObject({
      reason: 'its pass object could not be reached',
      body: JSON.stringify(message),
    });
    expect(await kept('d1')).toMatchObject({ reason: 'unreadable', body: '"rubbish"' });
    expect(await kept('d2')).toMatchObject({
      reason: 'its slice could not be reconciled',
      body: JSON.stringify(slice),
    });
    expect(await kept('d3')).toMatchObject({ reason: 'unreadable', body: 'null' });
    expect(linesOf(printed, 'queue.dead_letter').map(({ message }) => message)).toEqual(['d0', 'd1', 'd2', 'd3']);
  });

  it('a dead letter that arrives twice is stored once', async () => {
    await giveUp({ again: 'rubbish' });
    await giveUp({ again: 'rubbish' });
    expect(await findDeadLetters(DB, { limit: 10 })).toHaveLength(1);
  });

  it('a dead letter that is larger than any of our messages is stored without its body', async () => {
    await giveUp({ large: 'ä'.repeat(1_100) });
    expect(await findDeadLetter(DB, 'large')).toEqual({
      id: 'large',
      at: expect.any(Number),
      reason: 'unreadable',
      body: undefined,
    });
  });

  it('a dead letter stays in the queue while the database is away, and is reported all the same', async () => {
    const away = { prepare: () => ({ bind: () => ({}) }), batch: () => Promise.reject(new Error('D1_ERROR: away')) };
    const { explicitAcks, retryMessages } = await giveUp({ d0: 'rubbish' }, { ...bindings, DB: away as never });
    expect([explicitAcks, retryMessages.length]).toEqual([[], 1]);
    for (const event of ['queue.dead_letter', 'queue.dead_letters_not_stored'])
      expect(linesOf(printed, event)).toHaveLength(1);
  });
});

describe('dead letters in the hands of the operator', () => {
  const bury = (id: string, at: number, body?: unknown) =>
    DB.prepare('INSERT INTO dead_letters (id, at, reason, body) VALUES (?, ?, ?, ?)')
      .bind(id, at, 'unreadable', body === undefined ? null : JSON.stringify(body))
      .run();
  const letters = async (query = '') => {
    const { status, text } = await (await operator()).call('GET', `/admin/dead-letters${query}`);
    expect(status).toBe(200);
    return JSON.parse(text) as { deadLetters: { id: string; body: unknown }[]; next: string | null };
  };
  /** Returns an operator of a Worker whose queue is recorded. */
  const withQueue = async () => {
    const sent: unknown[] = [];
    const PASS_QUEUE = {
      sendBatch: async (all: { body: unknown }[]) => void sent.push(...all.map(({ body }) => body)),
    };
    return { sent, api: await anOperator({}, workerWith({ ...TRUSTING, PASS_QUEUE })) };
  };

  it('the operator sees the dead letters with their bodies, the newest first', async () => {
    await bury('a', 1, 'rubbish');
    await bury('b', 2, { kind: 'odd', pass: [1] });
    await bury('c', 3);
    const first = await letters('?limit=2');
    expect(first.deadLetters).toEqual([
      { id: 'c', at: 3, reason: 'unreadable', body: null },
      { id: 'b', at: 2, reason: 'unreadable', body: { kind: 'odd', pass: [1] } },
    ]);
    expect((await letters(`?limit=2&after=${first.next}`)).deadLetters).toMatchObject([{ id: 'a', body: 'rubbish' }]);
  });

  it('a redrive sends one or all dead letters again and removes them, and leaves those without a body', async () => {
    const { sent, api } = await withQueue();
    for (const [at, id] of ['a', 'b', 'c'].entries()) await bury(id, at + 1, { of: id });
    await bury('large', 9);
    expect(await redrive({ deadLetter: 'b' }, api)).toEqual({ redriven: 1, more: false });
    expect(sent).toEqual([{ of: 'b' }]);
    expect((await api.post('/admin/redrive', { deadLetter: 'b' })).problem.code).toBe('not_found');
    expect(await redrive({ deadLetters: 'all' }, api)).toEqual({ redriven: 2, more: false });
    expect(sent.slice(1)).toEqual([{ of: 'c' }, { of: 'a' }]);
    expect((await letters()).deadLetters.map(({ id }) => id)).toEqual(['large']);
  });

  it('dead letters stay stored when the queue does not take them at a redrive', async () => {
    await bury('a', 1, 'rubbish');
    const PASS_QUEUE = { sendBatch: () => Promise.reject(new Error('Queue sendBatch failed')) };
    const api = await anOperator({}, workerWith({ ...TRUSTING, PASS_QUEUE }));
    for (const body of [{ deadLetter: 'a' }, { deadLetters: 'all' }]) {
      expect((await api.post('/admin/redrive', body)).problem.code).toBe('temporarily_unavailable');
    }
    expect((await letters()).deadLetters).toHaveLength(1);
  });

  it('a redrive of a dead letter brings its pass to ACTIVE', async () => {
    const key = await aRequestedPass();
    await bury('process-pass', 1, { kind: 'process-pass', pass: key });
    await redrive({ deadLetters: 'all' });
    await eventually(async () => expect((await recordOf(key))?.state).toBe('ACTIVE'));
  });
});

it('a poisoned message is retried and becomes a dead letter, which the operator sees and which returns after a redrive', async () => {
  const batch = createMessageBatch('gatepass-passes', [
    { id: 'p', timestamp: new Date(), attempts: 1, body: 'poison' },
  ]);
  await worker.queue(batch, bindings);
  expect((await getQueueResult(batch, createExecutionContext())).retryMessages).toMatchObject([{ msgId: 'p' }]);
  await giveUp({ p: 'poison' });
  const sent: unknown[] = [];
  const PASS_QUEUE = { sendBatch: async (all: readonly { body: unknown }[]) => void sent.push(...all) };
  const ops = await anOperator({}, workerWith({ ...TRUSTING, PASS_QUEUE }));
  const { text } = await ops.call('GET', '/admin/dead-letters');
  expect(JSON.parse(text).deadLetters).toMatchObject([{ id: 'p', body: 'poison', reason: 'unreadable' }]);
  expect((await ops.post('/admin/redrive', { deadLetter: 'p' })).status).toBe(202);
  expect([sent, await findDeadLetters(DB, { limit: 10 })]).toEqual([[{ body: 'poison' }], []]);
  await giveUp({ q: 'poison' });
  expect(await findDeadLetters(DB, { limit: 10 })).toMatchObject([{ id: 'q', body: '"poison"' }]);
});
