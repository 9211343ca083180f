import { getAddress } from 'viem';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { RpcFault } from '../../../../src/chain/port.ts';
import type { Place } from '../../../../src/chain/watch-port.ts';
import { type Alteration, type Answer, type Call, HONEST } from '../altered-nodes.ts';
import { aStep, callSepolia, makeBlocksByHand, mine } from './node.ts';
import { accounts, setGatekeeper } from './others.ts';
import { freezeBetween, newestPlace, openAltered, queryOf, scan, scanAll, tokensIn, type watch } from './watching.ts';

/** Scans endpoints that do not serve the logs of one block. */

makeBlocksByHand();
beforeAll(async () => setGatekeeper(aStep(), getAddress((await accounts()).other), true));
beforeEach(() => void vi.spyOn(console, 'log').mockImplementation(() => undefined));
afterEach(() => void vi.restoreAllMocks());

describe('a block whose logs an endpoint does not serve', () => {
  const serves = (
    answer: (call: Call, found: Answer) => Omit<Answer, 'id'> | undefined,
    blocks: readonly number[],
  ): Alteration => ({
    alter(call, found) {
      if (call.method !== 'eth_getLogs') return found;
      const [{ fromBlock, toBlock }] = call.params;
      const to = toBlock === 'latest' ? Number.POSITIVE_INFINITY : Number(toBlock);
      const isPoisoned = blocks.some((at) => Number(fromBlock) <= at && at <= to);
      return (isPoisoned ? answer(call, found) : undefined) ?? found;
    },
  });
  const refused = () => ({ error: { code: -32_000, message: 'log response size exceeded' } });
  const longer = () => ({ result: 'x'.repeat(2_100_000) });

  /** Reads a span to its end. Returns the numbers of the unserved blocks, newest first. */
  async function unservedIn(on: typeof watch, after: Place) {
    const { changes, scans, faults } = await scanAll(on, after);
    return { changes, faults, unserved: scans.flatMap(({ unserved }) => unserved ?? []) };
  }

  it.each([
    ['refuses', refused],
    ['answers with more than any answer may have', longer],
  ])('is reported alone if each endpoint %s, and everything else is read', async (_, answer) => {
    const { after, id } = await freezeBetween(3, 4);
    const { at } = await newestPlace();
    const poison = at - 2;
    const altered = serves(answer, [poison]);
    const { watch: on } = openAltered(altered, altered);
    const { changes, unserved } = await unservedIn(on, after);
    expect(changes).toMatchObject([{ token: String(id) }]);
    expect(unserved).toHaveLength(1);
    const [{ span, why } = { span: undefined, why: '' }] = unserved;
    expect([span?.after?.at, span?.before?.at]).toEqual([poison - 1, poison + 1]);
    expect(why).not.toBe('');
    const { hash } = await callSepolia<{ hash: string }>(
      'eth_getBlockByNumber',
      `0x${(poison - 1).toString(16)}`,
      false,
    );
    expect(span?.after?.id).toBe(hash);
  });

  it('may be the newest one or the only one', async () => {
    const { after } = await freezeBetween(2, 1);
    const newest = await newestPlace();
    const { watch: on } = openAltered(serves(refused, [newest.at]));
    const found = await scan(after, { on });
    expect(found).toMatchObject({ newest, changes: [], left: { after, before: newest } });
    expect(found.unserved?.span.after?.at).toBe(newest.at - 1);
    const { after: last } = found.unserved?.span ?? {};
    const only = await scan(last, { on });
    expect(only).toMatchObject({ newest, unserved: { span: { after: last } } });
    expect(only.left).toBeUndefined();
  });

  it('is read from the endpoint that serves it', async () => {
    const { after, id } = await freezeBetween(2, 0);
    const { at } = await newestPlace();
    const { watch: on } = openAltered(serves(refused, [at]), HONEST);
    const found = await scan(after, { on });
    expect(found.unserved).toBeUndefined();
    expect(tokensIn(found)).toMatchObject([{ token: String(id) }]);
  });

  it.each<[string, (calls: readonly Call[]) => Response]>([
    ['reaches its rate limit', () => new Response('', { status: 429 })],
    [
      'names its rate limit',
      (calls) =>
        Response.json(
          calls.map((call) => ({ jsonrpc: '2.0', id: call.id, error: { code: -32_005, message: 'rate limit' } })),
        ),
    ],
    ['is away', () => new Response('', { status: 503 })],
    [
      'loses the connection',
      () => {
        throw new TypeError('Network connection lost.');
      },
    ],
  ])('is not reported while an endpoint %s', async (_, refuse) => {
    const { after } = await freezeBetween(0, 0);
    const { at } = await newestPlace();
    const failing: Alteration = { refuse: (calls) => (queryOf(calls) ? refuse(calls) : undefined) };
    const { watch: alone } = openAltered(failing);
    await expect(scan(after, { on: alone })).rejects.toThrow(RpcFault);
    const { watch: both } = openAltered(serves(refused, [at]), failing);
    await expect(scan(after, { on: both })).rejects.toThrow(RpcFault);
  });

  it('does not make the endpoint read smaller ranges from then on', async () => {
    const { after } = await freezeBetween(2, 2);
    const { at } = await newestPlace();
    const { watch: on, requests } = openAltered(serves(refused, [at]));
    expect((await scan(after, { on })).unserved).toBeDefined();
    await mine(6);
    const asked = requests[0]?.length ?? 0;
    const next = await newestPlace();
    await scan({ ...next, at: next.at - 5, id: '' }, { on });
    expect(requests[0]).toHaveLength(asked + 1);
  });
});
