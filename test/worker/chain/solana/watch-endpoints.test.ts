import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RpcFault } from '../../../../src/chain/port.ts';
import type { Place, TransactionChange } from '../../../../src/chain/watch-port.ts';
import { type Alteration, altering, HONEST } from '../altered-nodes.ts';
import { addressOf, advance, callDevnet, devnet, makeSlotsByHand, untilConfirmed, untilFinal } from './node.ts';
import { aForeignToken, BURN, changeAsOther, FREEZE } from './others.ts';
import { changesOf, holderOf, newestPlace, openAltered, scan, transactionsIn, watch } from './watching.ts';

/** Scans of `devnet` over several endpoints, and over nodes that are behind or lack something. */

makeSlotsByHand();

const { program } = devnet().network;

beforeEach(() => void vi.spyOn(console, 'log').mockImplementation(() => undefined));
afterEach(() => void vi.restoreAllMocks());

const changesAt = ([change]: readonly TransactionChange[]) => ({ transaction: change?.transaction, at: change?.at });

describe('the requests of a scan', () => {
  it('are one per scan, from each endpoint in turn', async () => {
    await untilConfirmed();
    const { watch: on, requests } = openAltered(HONEST, HONEST);
    let after = await newestPlace();
    for (let turn = 0; turn < 4; turn += 1) {
      await advance(2);
      after = (await scan(after, { on, turn })).newest;
    }
    expect(requests.map((each) => each.length)).toEqual([2, 2]);
  });

  it('are one to the next endpoint while the first one is behind', async () => {
    const step = await aForeignToken();
    const after = await newestPlace();
    await changeAsOther(step, FREEZE);
    const behind = altering('getAccountInfo', (result) => ({ ...result, context: { slot: after.at - 5 } }));
    const { watch: on, requests } = openAltered(behind, HONEST);
    expect((await scan(after, { on })).changes).toHaveLength(1);
    expect(requests.map((each) => each.length)).toEqual([1, 1]);
  });

  it('lead back to an earlier place if every endpoint is behind', async () => {
    await untilConfirmed();
    const after = await newestPlace();
    const behind = altering('getAccountInfo', (result) => ({ ...result, context: { slot: after.at - 5 } }));
    const { watch: both } = openAltered(behind, behind);
    expect(await both.scan({ after }, [], 0)).toEqual({ type: 'reorged' });
    const future = { at: 1_000_000_000, id: after.id, time: 4_102_444_800 };
    expect(await watch.scan({ after: future }, [], 0)).toEqual({ type: 'reorged' });
    expect(await watch.scan({ after, before: future }, [], 0)).toEqual({ type: 'reorged' });
  });

  it('show no final slot beyond the confirmed one', async () => {
    const { watch: on } = openAltered(altering('getSlot', () => 1_000_000_000));
    const { confirmedAt, finalAt } = await scan(undefined, { on });
    expect(finalAt).toBe(confirmedAt);
  });

  it('are two for 1,500 new signatures, and nothing is read of the transactions', async () => {
    const after = await newestPlace();
    const step = await aForeignToken();
    await changeAsOther(step, FREEZE);
    const real = await callDevnet<{ signature: string; slot: number }[]>('getSignaturesForAddress', program, {
      commitment: 'confirmed',
      limit: 2,
    });
    const spam = Array.from({ length: 1_500 }, (_, index) => ({
      ...real[0],
      signature: `${String(index).replaceAll('0', 'z').padStart(4, 'a')}${real[0]?.signature.slice(4)}`,
    }));
    const all = [...spam.slice(0, 1_490), ...real, ...spam.slice(1_490)];
    // The node of a chain with that much spam.
    const spammed: Alteration = {
      alter({ method, params }, answer) {
        if (method === 'getSignatureStatuses')
          return { result: { ...answer.result, value: [{ slot: 1, err: null, confirmationStatus: 'finalized' }] } };
        if (method !== 'getSignaturesForAddress') return answer;
        const { before, limit } = params[1];
        const start = before === undefined ? 0 : all.findIndex(({ signature }) => signature === before) + 1;
        return { result: all.slice(start, start + limit) };
      },
    };
    const { watch: on, requests } = openAltered(spammed);
    const first = await scan(after, { on });
    expect(first.changes).toHaveLength(1_000);
    const second = await scan(after, { on, before: first.left?.before });
    expect(second.left).toBeUndefined();
    expect(second.changes).toHaveLength(502);
    expect(requests[0]).toHaveLength(2);
    const found = [...transactionsIn(second), ...transactionsIn(first)].map(({ transaction }) => transaction);
    expect(found).toEqual(all.map(({ signature }) => signature).toReversed());
  });
});

describe('a node that lacks something', () => {
  const cutAt = (slot: number): Alteration => altering('getFirstAvailableBlock', () => slot);
  const anHourBefore = ({ time, ...place }: Place): Place => ({ ...place, time: time - 2 * 3_600 });

  it('reports a part of an old span as left, and as gone if no other endpoint has it', async () => {
    const after = anHourBefore(await newestPlace());
    await aForeignToken();
    await advance(20);
    const { watch: on } = openAltered(cutAt(after.at + 10));
    const first = await scan(after, { on });
    expect(first.left).toMatchObject({ after });
    expect(await on.scan({ after, before: first.left?.before }, [], 0)).toMatchObject({ type: 'gone' });
    const { watch: both } = openAltered(cutAt(after.at + 10), HONEST);
    expect(await both.scan({ after, before: first.left?.before }, [], 0)).toMatchObject({ type: 'scanned' });
  });

  it('is not asked for its first block if the span is new', async () => {
    const after = await newestPlace();
    await advance(5);
    const { watch: on, requests } = openAltered(HONEST);
    await scan(after, { on });
    expect(requests.flat(2).map(({ method }) => method)).not.toContain('getFirstAvailableBlock');
  });

  it('does not answer for a span that ends at a signature which it does not know', async () => {
    const after = await newestPlace();
    await aForeignToken();
    const newest = await newestPlace();
    const before = { ...newest, id: `${newest.id.slice(0, -3)}abc` };
    await expect(watch.scan({ after, before }, [], 0)).rejects.toThrow(RpcFault);
    await untilFinal();
    expect(await watch.scan({ after, before }, [], 0)).toEqual({ type: 'reorged' });
  });

  const answering = (answer: object): Alteration => ({
    alter: (call, truth) => (call.method === 'getTransaction' ? answer : truth),
  });
  const refused = (code: number, message: string) => answering({ error: { code, message } });
  const listsNone = altering('getSignatureStatuses', ({ value, ...rest }) => ({
    ...rest,
    value: value.map(() => null),
  }));

  it.each([
    ['shows null', answering({ result: null }), /shows nothing/],
    ['asks for a higher version', refused(-32_015, 'Transaction version (2) is not supported'), /version \(2\)/],
    ['lacks the method', refused(-32_601, 'Method not found'), /Method not found/],
    ['has any other error', refused(-32_000, 'execution reverted: nonce too low'), /reverted/],
    ['shows another form', answering({ result: { slot: 5, meta: { err: null } } }), /unknown form/],
    ['shows no result', altering('getTransaction', (shown) => ({ ...shown, meta: null })), /its result/],
    ['claims version 255', altering('getTransaction', (shown) => ({ ...shown, version: 255 })), /version 255/],
  ])('cannot read a transaction that it lists if it %s, and the next endpoint can', async (_, altered, why) => {
    const step = await aForeignToken();
    const { scanned } = await changesOf(() => changeAsOther(step, FREEZE));
    const [change] = transactionsIn(scanned) as [TransactionChange];
    const { watch: alone } = openAltered(altered);
    expect(await alone.resolve([change], 0)).toEqual({
      resolved: [],
      unresolved: [],
      unread: [{ change, why: expect.stringMatching(why) }],
    });
    const { watch: both, requests } = openAltered(altered, HONEST);
    expect(await both.resolve([change], 0)).toMatchObject({
      resolved: [{ state: 'FROZEN' }],
      unresolved: [],
      unread: [],
    });
    // The endpoint keeps its turn: it has no trouble.
    const before = requests[0]?.length ?? 0;
    await both.resolve([change], 0);
    expect(requests[0]?.length).toBeGreaterThan(before);
    // One that lacks the transaction does not answer for the one that has it.
    const lacking = {
      alter: (...[call, truth]: Parameters<NonNullable<Alteration['alter']>>) =>
        call.method === 'getTransaction' ? { result: null } : (listsNone.alter?.(call, truth) ?? truth),
    };
    const { watch: neither } = openAltered(altered, lacking);
    expect(await neither.resolve([change], 0)).toMatchObject({ resolved: [], unresolved: [], unread: [{ change }] });
  });

  const away: Alteration = {
    refuse: (calls) =>
      calls.some(({ method }) => method === 'getTransaction') ? new Response('', { status: 503 }) : undefined,
  };
  const lacks: Alteration = {
    alter: (call, truth) =>
      call.method === 'getTransaction' ? { result: null } : (listsNone.alter?.(call, truth) ?? truth),
  };
  const failed = altering('getTransaction', (shown) => ({ ...shown, meta: { ...shown.meta, err: 'AccountInUse' } }));
  const empty = altering('getTransaction', ({ transaction, ...shown }) => ({
    ...shown,
    transaction: { ...transaction, message: { ...transaction.message, instructions: [] } },
  }));
  const why = expect.stringContaining('no second endpoint');

  it.each([
    ['lacks it', lacks, { unresolved: [expect.anything()], unread: [] }],
    ['shows that it failed', failed, { unresolved: [], unread: [] }],
    ['shows no instruction', empty, { unresolved: [], unread: [] }],
  ])('that %s does not end a transaction while the other one does not answer', async (_, denying, ended) => {
    const step = await aForeignToken();
    const { scanned } = await changesOf(() => changeAsOther(step, FREEZE));
    const [change] = transactionsIn(scanned) as [TransactionChange];
    const resolveWith = (...endpoints: Alteration[]) =>
      Promise.all([0, 1].map((turn) => openAltered(...endpoints).watch.resolve([change], turn)));
    for (const each of await resolveWith(denying, away))
      expect(each).toEqual({ resolved: [], unresolved: [], unread: [{ change, why }] });
    for (const each of await resolveWith(denying, HONEST))
      expect(each).toMatchObject({ resolved: [{ state: 'FROZEN' }], unresolved: [], unread: [] });
    for (const two of [await resolveWith(denying, denying), await resolveWith(denying, away, denying)])
      for (const each of two) expect(each).toEqual({ resolved: [], ...ended });
  });

  it('and shows an error for a transaction does not outweigh two endpoints that lack it', async () => {
    const step = await aForeignToken();
    const { scanned } = await changesOf(() => changeAsOther(step, FREEZE));
    const [change] = transactionsIn(scanned) as [TransactionChange];
    const invents = refused(-32_000, 'not now');
    for (const endpoints of [
      [invents, lacks, lacks],
      [lacks, invents, lacks],
      [lacks, lacks, invents],
    ])
      expect(await openAltered(...endpoints).watch.resolve([change], 0)).toEqual({
        resolved: [],
        unresolved: [change],
        unread: [],
      });
  });

  it('is asked after the other one in the next turn', async () => {
    const step = await aForeignToken();
    const { scanned } = await changesOf(() => changeAsOther(step, FREEZE));
    const { watch: both, requests } = openAltered(HONEST, HONEST);
    await both.resolve(transactionsIn(scanned), 0);
    expect(requests.map((each) => each.length > 0)).toEqual([true, false]);
    await both.resolve(transactionsIn(scanned), 1);
    expect(requests.map((each) => each.length > 0)).toEqual([true, true]);
  });

  it('does not resolve anything while it is behind the changes', async () => {
    const step = await aForeignToken();
    const { scanned } = await changesOf(() => changeAsOther(step, FREEZE));
    const [transaction] = transactionsIn(scanned) as [TransactionChange];
    const behind = altering('getSlot', () => transaction.at - 1);
    const { watch: alone } = openAltered(behind);
    await expect(alone.resolve([transaction], 0)).rejects.toThrow(RpcFault);
  });

  it('that does not list an issuance returns the burned token as unresolved, and resolves it later', async () => {
    const step = await aForeignToken();
    const { address } = await addressOf(step);
    const { scanned } = await changesOf(() => changeAsOther(step, BURN));
    const changes = transactionsIn(scanned);
    const { watch: alone } = openAltered(altering('getSignaturesForAddress', (page) => page.slice(0, 1)));
    const { resolved, unresolved } = await alone.resolve(changes, 0);
    expect(resolved).toEqual([]);
    expect(unresolved).toMatchObject([
      { type: 'token', change: 'TOKEN_REVOKED', token: address, ...changesAt(changes) },
    ]);
    expect(await watch.resolve(unresolved, 1)).toMatchObject({
      resolved: [
        { change: 'TOKEN_REVOKED', token: address, holder: holderOf(step), state: 'NONE', ...changesAt(changes) },
      ],
      unresolved: [],
    });
  });

  it('returns a transaction whose fork was dropped as unresolved, beside the others', async () => {
    const step = await aForeignToken();
    const { scanned } = await changesOf(() => changeAsOther(step, FREEZE));
    const [transaction] = transactionsIn(scanned) as [TransactionChange];
    await untilFinal();
    const dropped = { ...transaction, transaction: `${transaction.transaction.slice(0, -3)}abc` };
    expect(await watch.resolve([dropped, transaction], 0)).toMatchObject({
      resolved: [{ transaction: transaction.transaction }],
      unresolved: [dropped],
      unread: [],
    });
  });
});
