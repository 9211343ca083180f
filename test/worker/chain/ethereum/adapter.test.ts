import { describe, expect, it, vi } from 'vitest';
import { broadcast } from '../../../../src/chain/ethereum/broadcast.ts';
import { mintData } from '../../../../src/chain/ethereum/gateway.ts';
import { secret } from '../../../../src/lib/secret.ts';
import type { OnChain } from '../../../../src/pass/pass.ts';
import type { Step } from '../../../../src/pass/step.ts';
import {
  chain,
  findingOf,
  flight,
  issued,
  mintAnother,
  open,
  sightingOf,
  signed,
  tokenData,
  tokenIdOf,
  tokensOf,
} from './issuing.ts';
import { aStep, byGatekeeper, freshWallet, mine, node, sepolia } from './node.ts';

/** The adapter on the real contract, on a real node. */

const found = (onChain: OnChain) => ({ type: 'found', onChain: { ...onChain, asOf: expect.any(Number) } });

describe('from look to final', () => {
  it('finds a fresh wallet ready, and its transaction unconfirmed, confirmed, status, final', async () => {
    const step = aStep({ expiry: 2_000_000_000 });
    const sent = await signed(step);
    expect(await sightingOf(step, sent)).toEqual({ type: 'unconfirmed' });
    expect(await chain.broadcast([sent])).toEqual([{ type: 'accepted' }]);
    await mine();
    const sighting = await sightingOf(step, sent);
    expect(sighting).toMatchObject({ type: 'confirmed', identifier: sent.identifier });
    expect(await tokensOf(step)).toEqual([{ state: 'ACTIVE', expiry: 2_000_000_000 }]);
    if (sighting?.type !== 'confirmed') throw new Error('not confirmed');
    expect(await sightingOf(step, sent, { ...sighting.includedIn, block: sighting.includedIn.block })).toEqual({
      type: 'still-included',
    });
    await mine(2);
    expect(await sightingOf(step, sent, sighting.includedIn)).toEqual({ type: 'final' });
    expect(await findingOf(step)).toEqual(found({ state: 'ACTIVE', expiry: 2_000_000_000 }));
  });

  it('waits for as many confirmations as the network asks for', async () => {
    const patient = open({ network: { ...sepolia().network, confirmations: 50 } });
    const step = aStep();
    const sent = await signed(step);
    await chain.broadcast([sent]);
    await mine();
    expect(await patient.track([flight(step, sent)])).toEqual([{ type: 'unconfirmed' }]);
    await mine(49);
    expect(await patient.track([flight(step, sent)])).toMatchObject([{ type: 'confirmed' }]);
  });
});

describe('adoption', () => {
  it.each`
    deed        | state
    ${'freeze'} | ${'FROZEN'}
    ${'revoke'} | ${'REVOKED'}
  `('finds a token that somebody brought into $state', async ({ deed, state }) => {
    const step = aStep();
    await issued(step);
    await byGatekeeper(tokenData(deed, await tokenIdOf(step)));
    expect(await findingOf(step)).toMatchObject({ type: 'not-now', keeps: 'step' });
    await mine(3);
    expect(await findingOf(step)).toEqual(found({ state }));
  });

  it('prefers the active one of several tokens', async () => {
    const step = aStep();
    await issued(step);
    await byGatekeeper(tokenData('revoke', await tokenIdOf(step)));
    await mintAnother(step, 1_900_000_000);
    await mine(3);
    expect(await findingOf(step)).toEqual(found({ state: 'ACTIVE', expiry: 1_900_000_000 }));
  });
});

describe('a chain that stands still, or a node that is behind', () => {
  it('is believed nothing that no transaction of ours brought about, and is sent to all the same', async () => {
    const known = aStep();
    await issued(known);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
    try {
      const { results } = await chain.prepare([known, aStep()], 0);
      expect(results).toMatchObject([{ type: 'not-now', keeps: 'step' }, { type: 'ready' }]);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('a new expiry', () => {
  it('names a token only when its mint is final, and is proven by the Expiration event', async () => {
    const step = aStep({ expiry: 1_900_000_000 });
    const sent = await signed(step);
    await chain.broadcast([sent]);
    await mine();
    const renewal: Step = { ...step, id: `${step.id}1`, kind: 'set-expiry', expiry: 2_100_000_000 };
    expect(await findingOf(renewal)).toMatchObject({ type: 'not-now', why: 'what the chain shows is not final' });
    await mine(2);
    const renewed = await signed(renewal);
    await chain.broadcast([renewed]);
    await mine();
    expect(await sightingOf(renewal, renewed)).toMatchObject({ type: 'confirmed' });
    expect(await tokensOf(step)).toEqual([{ state: 'ACTIVE', expiry: 2_100_000_000 }]);
    await mine(2);
    expect(await findingOf(renewal)).toEqual(found({ state: 'ACTIVE', expiry: 2_100_000_000 }));
  });

  it('finds that the token was burned', async () => {
    const step = aStep();
    await issued(step);
    await byGatekeeper(tokenData('burn', await tokenIdOf(step)));
    const renewal: Step = { ...step, kind: 'set-expiry', expiry: 2_100_000_000 };
    expect(await findingOf(renewal)).toMatchObject({ type: 'not-now', keeps: 'step' });
    await mine(3);
    expect(await findingOf(renewal)).toEqual(found({ state: 'NONE' }));
  });
});

describe('what keeps a step from being sent', () => {
  it('a gatekeeper network that does not exist on the chain', async () => {
    const { results } = await chain.prepare(
      [aStep({ gatekeeperNetwork: 'ignREusXmGrscGNUesoU9mxfds9AiYTezUKex2PsZV6' })],
      0,
    );
    expect(results).toMatchObject([{ type: 'not-now', keeps: 'gatekeeper-network' }]);
  });

  it('a gatekeeper that is not authorized', async () => {
    const key = `0x${'7'.repeat(64)}` as const;
    const stranger = open({ gatekeeper: { address: '0xa94f5374Fce5edBC8E2a8697C15331677e6EbF0B', key: secret(key) } });
    const { results } = await stranger.prepare([aStep()], 0);
    expect(results).toMatchObject([
      {
        type: 'not-now',
        keeps: 'gatekeeper-network',
        why: 'the gatekeeper is not authorized on the gatekeeper network',
      },
    ]);
  });

  it('an address without the contract’s code', async () => {
    const nowhere = open({ network: { ...sepolia().network, gateway: '0x000000000000000000000000000000000000dEaD' } });
    const { results } = await nowhere.prepare([aStep()], 0);
    expect(results).toMatchObject([{ type: 'not-now', keeps: 'signer' }]);
  });

  it('an endpoint with the wrong chain id', async () => {
    const other = open({ network: { ...sepolia().network, chainId: 1 } });
    await expect(other.prepare([aStep()], 0)).rejects.toThrow('another chain');
  });

  it('a price above maxFeePerGas', async () => {
    const dear = open({ network: { ...sepolia().network, maxFeePerGas: 1 } });
    const { results } = await dear.prepare([aStep()], 0);
    expect(results).toEqual([{ type: 'not-now', keeps: 'signer', why: 'the network asks more than maxFeePerGas' }]);
  });

  it('the contract itself, for good', async () => {
    const { results } = await chain.prepare([aStep({ wallet: `0x${'0'.repeat(40)}` })], 0);
    expect(results).toMatchObject([{ type: 'refused', reason: expect.stringContaining('zero address') }]);
  });
});

describe('delivery', () => {
  it('reads "already known" as taken', async () => {
    const sent = await signed(aStep());
    expect(await chain.broadcast([sent, sent])).toEqual([{ type: 'accepted' }, { type: 'accepted' }]);
  });

  it('reads "nonce too low" as a refusal that decides nothing: the receipt does', async () => {
    const step = aStep();
    const sent = await signed(step);
    await chain.broadcast([sent]);
    await mine();
    expect(await chain.broadcast([sent])).toMatchObject([{ type: 'refused', why: expect.stringMatching(/nonce/i) }]);
    expect(await sightingOf(step, sent)).toMatchObject({ type: 'confirmed' });
  });

  it('reads "replacement underpriced" as a refusal, and the first one goes on', async () => {
    const [step, other] = [aStep(), aStep()];
    const [sent, beside] = [await signed(step), await signed(other)];
    await node('evm_setIntervalMining', 0);
    try {
      await chain.broadcast([sent]);
      const underpriced = { type: 'refused', why: expect.stringMatching(/underpriced/i) };
      expect(await chain.broadcast([beside])).toMatchObject([underpriced]);
    } finally {
      await node('evm_setIntervalMining', 1);
    }
    await mine();
    expect(await sightingOf(step, sent)).toMatchObject({ type: 'confirmed' });
  });

  it('reads "insufficient funds" as that, and as no other refusal', async () => {
    const key = `0x${'8'.repeat(64)}` as const;
    const poor = open({ gatekeeper: { address: freshWallet(), key: secret(key) } });
    const { terms } = await chain.prepare([], 0);
    const call = { data: mintData(freshWallet(), 1n, undefined), gas: 300_000n };
    expect(await poor.broadcast([await poor.sign(call, terms, 0)])).toEqual([{ type: 'no-funds' }]);
  });

  // What other clients than the one that runs here say.
  it.each`
    message                                               | delivery
    ${'already known'}                                    | ${'accepted'}
    ${'AlreadyKnown'}                                     | ${'accepted'}
    ${'Known transaction'}                                | ${'accepted'}
    ${'Transaction with the same hash already imported.'} | ${'accepted'}
    ${'tx already in mempool'}                            | ${'accepted'}
    ${'unknown transaction type'}                         | ${'refused'}
    ${'insufficient funds for gas * price + value'}       | ${'no-funds'}
    ${'InsufficientFunds, Account balance: 0'}            | ${'no-funds'}
    ${'Upfront cost exceeds account balance'}             | ${'no-funds'}
    ${'nonce too low: next nonce 7, tx nonce 6'}          | ${'refused'}
    ${'replacement transaction underpriced'}              | ${'refused'}
    ${'future transaction tries to replace pending'}      | ${'refused'}
  `('reads "$message" as $delivery', async ({ message, delivery }) => {
    const rpc = async () => [{ error: { code: -32000, message } }];
    const { network, gatekeeper } = sepolia();
    const deaf = { rpc, network, account: gatekeeper.address, slot: () => undefined };
    expect(await broadcast(deaf, [{ identifier: '0x1', bytes: '0x' }])).toMatchObject([{ type: delivery }]);
  });

  it('believes no receipt of an address without the contract’s code, and that only when it is final', async () => {
    const nowhere = open({ network: { ...sepolia().network, gateway: '0x000000000000000000000000000000000000dEaD' } });
    const step = aStep();
    const { terms } = await chain.prepare([step], 0);
    const call = { data: mintData(step.key.wallet, 1n, undefined), gas: 300_000n };
    const sent = await nowhere.sign(call, terms, terms.nonces?.pending);
    expect(await nowhere.broadcast([sent])).toEqual([{ type: 'accepted' }]);
    await mine();
    expect(await chain.track([flight(step, sent)])).toEqual([{ type: 'unconfirmed' }]);
    await mine(2);
    expect(await chain.track([flight(step, sent)])).toEqual([{ type: 'without-effect', identifier: sent.identifier }]);
  });
});
