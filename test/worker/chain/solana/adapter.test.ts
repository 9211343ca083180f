import { afterEach, describe, expect, inject, it, vi } from 'vitest';
import { notNow } from '../../../../src/chain/reasons.ts';
import { secret } from '../../../../src/lib/secret.ts';
import { eventually } from '../../../eventually.ts';
import { broadcastAll, trackAll } from '../ask.ts';
import { chain, findingOf, open, sightingOf, signed, tokenOf } from './issuing.ts';
import {
  advance,
  aStep,
  callDevnet,
  devnet,
  freshWallet,
  makeSlotsByHand,
  untilConfirmed,
  untilFinal,
} from './node.ts';

/** Transactions from their preparation to their end, on the localnet's node. */

makeSlotsByHand();

afterEach(() => callDevnet('localnet_heal'));

describe('a transaction on Solana from preparation to finality', () => {
  it('an issuance is ready, and then its transaction is unconfirmed, confirmed, still included and final', async () => {
    const step = aStep({ expiry: 2_000_000_000 });
    const sent = await signed(step);
    expect(sent.lastValidBlockHeight).toBeGreaterThan(0);
    expect(await sightingOf(step, sent)).toEqual({ type: 'unconfirmed' });
    expect(await broadcastAll(chain, [sent])).toEqual([{ type: 'accepted' }]);
    await untilConfirmed();
    const sighting = await sightingOf(step, sent);
    expect(sighting).toMatchObject({ type: 'confirmed', identifier: sent.identifier });
    if (sighting?.type !== 'confirmed') throw new Error('not confirmed');
    expect(await sightingOf(step, sent, sighting.includedIn)).toEqual({ type: 'still-included' });
    expect(await tokenOf(step)).toEqual({
      state: 'ACTIVE',
      expiry: 2_000_000_000,
      issuer: inject('localnet').gatekeeper.solana,
      size: 109,
    });
    await untilFinal();
    expect(await sightingOf(step, sent, sighting.includedIn)).toEqual({ type: 'final' });
    expect(await findingOf(step)).toMatchObject({
      type: 'found',
      onChain: { state: 'ACTIVE', expiry: 2_000_000_000, foreign: undefined },
    });
  });

  it('sends the same bytes again after a fork dropped a processed transaction, until another block confirms them', async () => {
    // Blocks arrive by themselves in the meantime, so a slow machine may need another try.
    const { step, sent } = await eventually(async () => {
      const step = aStep();
      const sent = await signed(step);
      await broadcastAll(chain, [sent]);
      await advance(1);
      expect(await sightingOf(step, sent)).toEqual({ type: 'unconfirmed' });
      await callDevnet('localnet_rollBack', 1);
      expect(await sightingOf(step, sent)).toEqual({ type: 'unconfirmed' });
      return { step, sent };
    });
    expect(await broadcastAll(chain, [sent])).toEqual([{ type: 'accepted' }]);
    await untilConfirmed();
    expect(await sightingOf(step, sent)).toMatchObject({ type: 'confirmed', identifier: sent.identifier });
  });

  it('a confirmed transaction that a fork dropped is unconfirmed only when the finalized chain is past its slot', async () => {
    const step = aStep();
    const sent = await signed(step);
    await broadcastAll(chain, [sent]);
    await untilConfirmed();
    const sighting = await sightingOf(step, sent);
    if (sighting?.type !== 'confirmed') throw new Error('not confirmed');
    await callDevnet('localnet_rollBack', 12);
    expect(await sightingOf(step, sent, sighting.includedIn)).toEqual({ type: 'still-included' });
    await untilFinal();
    expect(await sightingOf(step, sent, sighting.includedIn)).toEqual({ type: 'unconfirmed' });
    // If the blockhash was on the lost fork, the same bytes can never enter a block.
    expect(await tokenOf(step)).toBeUndefined();
  });

  it('asks for the statuses of all transactions in flight in one request', async () => {
    const flights = Array.from({ length: 300 }, () => {
      const step = aStep();
      const identifiers = [`${freshWallet()}${freshWallet()}`.slice(0, 87)];
      return { step, identifiers, signedAtMs: Date.now(), lastValidBlockHeight: 2 ** 40 };
    });
    await callDevnet('localnet_resetRequests');
    const requests = vi.spyOn(globalThis, 'fetch');
    const sightings = await trackAll(open(), flights);
    expect(requests.mock.calls.filter(([url]) => url === inject('localnet').rpc.devnet)).toHaveLength(1);
    requests.mockRestore();
    expect(new Set(sightings.map(({ type }) => type))).toEqual(new Set(['unconfirmed']));
    // At most 256 in a call.
    expect(await callDevnet('localnet_requests')).toMatchObject({
      calls: { getSignatureStatuses: 2, getEpochInfo: 1 },
    });
  });
});

describe('a transaction that never lands', () => {
  it('a transaction that never lands expires when its blockhash is too old as of the finalized block', async () => {
    const step = aStep();
    const sent = await signed(step);
    await callDevnet('localnet_fail', { method: 'sendTransaction', times: 1, how: { drop: true } });
    expect(await broadcastAll(chain, [sent])).toEqual([{ type: 'accepted' }]);
    // Too old for the newest block, and not yet for the finalized one.
    await advance(165);
    expect(await sightingOf(step, sent)).toEqual({ type: 'unconfirmed' });
    await untilFinal();
    expect(await sightingOf(step, sent)).toEqual({ type: 'expired', asOf: expect.any(Number) });
    // Sent again, it still enters no block.
    await broadcastAll(chain, [sent]);
    await untilFinal();
    expect(await sightingOf(step, sent)).toEqual({ type: 'expired', asOf: expect.any(Number) });
    expect(await tokenOf(step)).toBeUndefined();
  });

  it('a transaction that landed long ago is confirmed from the history, although its blockhash is too old', async () => {
    const step = aStep();
    const sent = await signed(step);
    await broadcastAll(chain, [sent]);
    await untilConfirmed();
    await callDevnet('localnet_expireBlockhashes');
    await advance(200);
    expect(await sightingOf(step, sent)).toMatchObject({ type: 'confirmed', identifier: sent.identifier });
  });

  it('a transaction that the program refused is without effect once it is final', async () => {
    const step = aStep();
    const [first, second] = [await signed(step), await signed({ ...step, expiry: 2_000_000_000 })];
    await broadcastAll(chain, [first]);
    await untilConfirmed();
    await broadcastAll(chain, [second]);
    await untilConfirmed();
    expect(await sightingOf(step, second)).toEqual({ type: 'unconfirmed' });
    await untilFinal();
    expect(await sightingOf(step, second)).toEqual({ type: 'without-effect', identifier: second.identifier });
    expect(await sightingOf(step, first)).toMatchObject({ type: 'confirmed' });
    expect(await tokenOf(step)).toMatchObject({ expiry: undefined });
  });
});

describe('broadcasting on Solana', () => {
  it('reads "already been processed" as accepted: the same bytes go out again', async () => {
    const step = aStep();
    const sent = await signed(step);
    expect(await broadcastAll(chain, [sent, sent])).toEqual([{ type: 'accepted' }, { type: 'accepted' }]);
    await untilConfirmed();
    expect(await broadcastAll(chain, [sent])).toEqual([{ type: 'accepted' }]);
    await untilConfirmed();
    expect(await sightingOf(step, sent)).toMatchObject({ type: 'confirmed' });
  });

  it.each`
    err                          | result
    ${'AlreadyProcessed'}        | ${{ type: 'accepted' }}
    ${'InsufficientFundsForFee'} | ${{ code: 'no-funds' }}
    ${'AccountNotFound'}         | ${{ code: 'no-funds' }}
    ${'BlockhashNotFound'}       | ${{ code: 'broadcast-refused' }}
  `('classifies the simulation error $err of a broadcast as $result', async ({ err, result }) => {
    const sent = await signed(aStep());
    const error = { code: -32002, message: 'Transaction simulation failed', data: { err, logs: [] } };
    await callDevnet('localnet_fail', { method: 'sendTransaction', times: 1, how: { error } });
    expect(await broadcastAll(chain, [sent])).toMatchObject([result]);
  });

  it.each([-32_000, 403, -32_429])('broadcasts a transaction again alone after an unknown error: %d', async (code) => {
    const [first, second] = [await signed(aStep()), await signed(aStep())];
    const error = { code, message: 'text of the node' };
    await callDevnet('localnet_fail', { method: 'sendTransaction', times: 1, how: { error } });
    expect(await broadcastAll(chain, [first, second])).toEqual([{ type: 'accepted' }, { type: 'accepted' }]);
  });

  it('reports an unknown error of a broadcast that repeats, and the next broadcast succeeds', async () => {
    const sent = [await signed(aStep()), await signed(aStep())];
    const error = { code: -32_000, message: 'text of the node' };
    // Both in a batch, one in a smaller batch, and each alone.
    await callDevnet('localnet_fail', { method: 'sendTransaction', times: 5, how: { error } });
    const refused = notNow('broadcast-refused', 'text of the node');
    expect(await broadcastAll(open(), sent)).toEqual([refused, refused]);
    expect(await broadcastAll(open(), sent)).toEqual([{ type: 'accepted' }, { type: 'accepted' }]);
  });

  it.each`
    fault                               | how
    ${'the answer to a send is lost'}   | ${{ reset: true, carriedOut: true }}
    ${'the connection is reset'}        | ${{ reset: true }}
    ${'a gateway answers for the node'} | ${{ http: 502, carriedOut: true }}
    ${'the node limits its rate'}       | ${{ http: 429 }}
    ${'the answer is malformed'}        | ${{ garbage: true, carriedOut: true }}
  `('broadcasts the same bytes to the next endpoint when $fault', async ({ how }) => {
    const { endpoints } = devnet();
    const step = aStep();
    const sent = await signed(step);
    await callDevnet('localnet_fail', { method: 'sendTransaction', times: 1, how });
    expect(await broadcastAll(open({ endpoints: [...endpoints, ...endpoints] }), [sent])).toEqual([
      { type: 'accepted' },
    ]);
    await untilConfirmed();
    expect(await sightingOf(step, sent)).toMatchObject({ type: 'confirmed', identifier: sent.identifier });
  });

  it('broadcasts to the next endpoint when the connection is refused', async () => {
    const endpoints = [secret('http://127.0.0.1:1'), ...devnet().endpoints];
    expect(await broadcastAll(open({ endpoints }), [await signed(aStep())])).toEqual([{ type: 'accepted' }]);
  });

  it('fails the broadcast when the only node does not answer', async () => {
    const sent = await signed(aStep());
    // The batch, and then a single call.
    await callDevnet('localnet_fail', { times: 2, how: { http: 503 } });
    await expect(broadcastAll(chain, [sent])).rejects.toThrow('HTTP 503');
  });
});
