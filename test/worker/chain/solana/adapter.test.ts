import { afterEach, describe, expect, inject, it, vi } from 'vitest';
import { secret } from '../../../../src/lib/secret.ts';
import { chain, findingOf, open, sightingOf, signed, tokenOf } from './issuing.ts';
import { advance, aStep, devnet, freshWallet, node, untilConfirmed, untilFinal } from './node.ts';

/** Transactions from the look to their end, on the localnet's node. */

afterEach(() => node('localnet_heal'));

describe('from look to final', () => {
  it('finds a fresh wallet ready, and its transaction unconfirmed, confirmed, status, final', async () => {
    const step = aStep({ expiry: 2_000_000_000 });
    const sent = await signed(step);
    expect(sent.lastValidBlockHeight).toBeGreaterThan(0);
    expect(await sightingOf(step, sent)).toEqual({ type: 'unconfirmed' });
    expect(await chain.broadcast([sent])).toEqual([{ type: 'accepted' }]);
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

  it('goes on after a fork dropped the processed transaction: the same bytes land in another block', async () => {
    // Blocks come by themselves meanwhile: on a slow machine it may take another try.
    const { step, sent } = await vi.waitFor(async () => {
      const step = aStep();
      const sent = await signed(step);
      await chain.broadcast([sent]);
      await advance(1);
      expect(await sightingOf(step, sent)).toEqual({ type: 'unconfirmed' });
      await node('localnet_rollBack', 1);
      expect(await sightingOf(step, sent)).toEqual({ type: 'unconfirmed' });
      return { step, sent };
    }, 10_000);
    expect(await chain.broadcast([sent])).toEqual([{ type: 'accepted' }]);
    await untilConfirmed();
    expect(await sightingOf(step, sent)).toMatchObject({ type: 'confirmed', identifier: sent.identifier });
  });

  it('sees that a fork dropped a confirmed transaction only when the finalized chain is past it', async () => {
    const step = aStep();
    const sent = await signed(step);
    await chain.broadcast([sent]);
    await untilConfirmed();
    const sighting = await sightingOf(step, sent);
    if (sighting?.type !== 'confirmed') throw new Error('not confirmed');
    await node('localnet_rollBack', 12);
    expect(await sightingOf(step, sent, sighting.includedIn)).toEqual({ type: 'still-included' });
    await untilFinal();
    expect(await sightingOf(step, sent, sighting.includedIn)).toEqual({ type: 'unconfirmed' });
    // The blockhash may have been on the lost fork: then the same bytes can never land.
    expect(await tokenOf(step)).toBeUndefined();
  });

  it('asks for the statuses of everything in flight in one request', async () => {
    const flights = Array.from({ length: 300 }, () => {
      const step = aStep();
      return { step, identifiers: [`${freshWallet()}${freshWallet()}`.slice(0, 87)], lastValidBlockHeight: 2 ** 40 };
    });
    await node('localnet_resetRequests');
    const requests = vi.spyOn(globalThis, 'fetch');
    const sightings = await open().track(flights);
    expect(requests.mock.calls.filter(([url]) => url === inject('localnet').rpc.devnet)).toHaveLength(1);
    requests.mockRestore();
    expect(new Set(sightings.map(({ type }) => type))).toEqual(new Set(['unconfirmed']));
    // 256 at most in a call.
    expect(await node('localnet_requests')).toMatchObject({ calls: { getSignatureStatuses: 2, getEpochInfo: 1 } });
  });
});

describe('a transaction that never lands', () => {
  it('has expired when its blockhash has, as of the finalized block, and not before', async () => {
    const step = aStep();
    const sent = await signed(step);
    await node('localnet_fail', { method: 'sendTransaction', times: 1, how: { drop: true } });
    expect(await chain.broadcast([sent])).toEqual([{ type: 'accepted' }]);
    // Too old for the newest block, but not yet as of the finalized one.
    await advance(165);
    expect(await sightingOf(step, sent)).toEqual({ type: 'unconfirmed' });
    await untilFinal();
    expect(await sightingOf(step, sent)).toEqual({ type: 'expired', asOf: expect.any(Number) });
    // Handed out again it stays outside.
    await chain.broadcast([sent]);
    await untilFinal();
    expect(await sightingOf(step, sent)).toEqual({ type: 'expired', asOf: expect.any(Number) });
    expect(await tokenOf(step)).toBeUndefined();
  });

  it('has not expired when it landed long ago: the history is asked first', async () => {
    const step = aStep();
    const sent = await signed(step);
    await chain.broadcast([sent]);
    await untilConfirmed();
    await node('localnet_expireBlockhashes');
    await advance(200);
    expect(await sightingOf(step, sent)).toMatchObject({ type: 'confirmed', identifier: sent.identifier });
  });

  it('had no effect when the program refused it, which counts when it is final', async () => {
    const step = aStep();
    const [first, second] = [await signed(step), await signed({ ...step, expiry: 2_000_000_000 })];
    await chain.broadcast([first]);
    await untilConfirmed();
    await chain.broadcast([second]);
    await untilConfirmed();
    expect(await sightingOf(step, second)).toEqual({ type: 'unconfirmed' });
    await untilFinal();
    expect(await sightingOf(step, second)).toEqual({ type: 'without-effect', identifier: second.identifier });
    expect(await sightingOf(step, first)).toMatchObject({ type: 'confirmed' });
    expect(await tokenOf(step)).toMatchObject({ expiry: undefined });
  });
});

describe('delivery', () => {
  it('reads "already been processed" as taken: the same bytes go out twice', async () => {
    const step = aStep();
    const sent = await signed(step);
    expect(await chain.broadcast([sent, sent])).toEqual([{ type: 'accepted' }, { type: 'accepted' }]);
    await untilConfirmed();
    expect(await chain.broadcast([sent])).toEqual([{ type: 'accepted' }]);
    await untilConfirmed();
    expect(await sightingOf(step, sent)).toMatchObject({ type: 'confirmed' });
  });

  it.each`
    err                          | delivery
    ${'AlreadyProcessed'}        | ${{ type: 'accepted' }}
    ${'InsufficientFundsForFee'} | ${{ type: 'no-funds' }}
    ${'AccountNotFound'}         | ${{ type: 'no-funds' }}
    ${'BlockhashNotFound'}       | ${{ type: 'refused' }}
  `('reads $err of a node that tries everything as $delivery.type', async ({ err, delivery }) => {
    const sent = await signed(aStep());
    const error = { code: -32002, message: 'Transaction simulation failed', data: { err, logs: [] } };
    await node('localnet_fail', { method: 'sendTransaction', times: 1, how: { error } });
    expect(await chain.broadcast([sent])).toMatchObject([delivery]);
  });

  it.each([-32_000, 403, -32_429])('goes on after an error that nobody knows: %d', async (code) => {
    const [first, second] = [await signed(aStep()), await signed(aStep())];
    const error = { code, message: 'what the node says' };
    await node('localnet_fail', { method: 'sendTransaction', times: 1, how: { error } });
    const deliveries = await chain.broadcast([first, second]);
    expect(deliveries).toEqual([{ type: 'refused', why: 'what the node says' }, { type: 'accepted' }]);
  });

  it.each`
    fault                               | how
    ${'the answer to a send is lost'}   | ${{ reset: true, carriedOut: true }}
    ${'the connection is reset'}        | ${{ reset: true }}
    ${'a gateway answers for the node'} | ${{ http: 502, carriedOut: true }}
    ${'the node limits its rate'}       | ${{ http: 429 }}
    ${'the answer is malformed'}        | ${{ garbage: true, carriedOut: true }}
  `('goes to the next endpoint when $fault: the same bytes, and one token', async ({ how }) => {
    const { endpoints } = devnet();
    const step = aStep();
    const sent = await signed(step);
    await node('localnet_fail', { method: 'sendTransaction', times: 1, how });
    expect(await open({ endpoints: [...endpoints, ...endpoints] }).broadcast([sent])).toEqual([{ type: 'accepted' }]);
    await untilConfirmed();
    expect(await sightingOf(step, sent)).toMatchObject({ type: 'confirmed', identifier: sent.identifier });
  });

  it('goes to the next endpoint when the connection is refused', async () => {
    const endpoints = [secret('http://127.0.0.1:1'), ...devnet().endpoints];
    expect(await open({ endpoints }).broadcast([await signed(aStep())])).toEqual([{ type: 'accepted' }]);
  });

  it('tells nothing of a node that does not answer', async () => {
    const sent = await signed(aStep());
    await node('localnet_fail', { times: 1, how: { http: 503 } });
    await expect(chain.broadcast([sent])).rejects.toThrow('HTTP 503');
  });
});
