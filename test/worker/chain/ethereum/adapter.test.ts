import type { Hex } from 'viem';
import { parseTransaction } from 'viem/utils';
import { describe, expect, inject, it, vi } from 'vitest';
import { mintData } from '../../../../src/chain/ethereum/gateway.ts';
import { broadcast, signCall } from '../../../../src/chain/ethereum/transaction.ts';
import type { JsonRpc } from '../../../../src/chain/json-rpc.ts';
import { SigningRefused } from '../../../../src/chain/port.ts';
import { notNow } from '../../../../src/chain/reasons.ts';
import { secret } from '../../../../src/lib/secret.ts';
import type { OnChain } from '../../../../src/pass/pass.ts';
import type { Step } from '../../../../src/pass/step.ts';
import { alteredNodes, HONEST } from '../altered-nodes.ts';
import { broadcastAll, prepareAll, trackAll } from '../ask.ts';
import { errorText, MISSING_ROLE, whileMintLoops, whileMintReverts } from './altered-mint.ts';
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
import { aStep, byGatekeeper, callSepolia, contextOver, freshWallet, makeBlocksByHand, mine, sepolia } from './node.ts';

/** The adapter on the real contract, on a real node. The test makes the blocks, and so decides about finality. */

makeBlocksByHand();

const found = (onChain: OnChain) => ({ type: 'found', onChain: { ...onChain, asOf: expect.any(Number) } });

/** Signs without a preparation. */
const PRICE = { fee: BigInt(sepolia().network.maxFeePerGas), tip: 10n ** 9n };
const unasked: JsonRpc = () => Promise.reject(new Error('nobody is asked'));

describe('a transaction on Ethereum from preparation to finality', () => {
  it('an issuance is ready, and then its transaction is unconfirmed, confirmed, still included and final', async () => {
    const step = aStep({ expiry: 2_000_000_000 });
    const sent = await signed(step);
    expect(await sightingOf(step, sent)).toEqual({ type: 'unconfirmed' });
    expect(await broadcastAll(chain, [sent])).toEqual([{ type: 'accepted' }]);
    await mine();
    const sighting = await sightingOf(step, sent);
    expect(sighting).toMatchObject({ type: 'confirmed', identifier: sent.identifier });
    expect(await tokensOf(step)).toEqual([{ state: 'ACTIVE', expiry: 2_000_000_000 }]);
    if (sighting?.type !== 'confirmed') throw new Error('not confirmed');
    expect(await sightingOf(step, sent, { ...sighting.includedIn, block: sighting.includedIn.block })).toEqual({
      type: 'still-included',
    });
    await mine(2);
    expect(await sightingOf(step, sent, sighting.includedIn)).toEqual({ type: 'final', cost: expect.any(Number) });
    expect(await findingOf(step)).toEqual(found({ state: 'ACTIVE', expiry: 2_000_000_000 }));
  });

  it('a transaction is confirmed only after as many confirmations as the network requires', async () => {
    const patient = open({ network: { ...sepolia().network, confirmations: 50 } });
    const step = aStep();
    const sent = await signed(step);
    await broadcastAll(chain, [sent]);
    await mine();
    expect(await trackAll(patient, [flight(step, sent)])).toEqual([{ type: 'unconfirmed' }]);
    await mine(49);
    expect(await trackAll(patient, [flight(step, sent)])).toMatchObject([{ type: 'confirmed' }]);
  });
});

describe('adoption on Ethereum', () => {
  it.each`
    deed        | state
    ${'freeze'} | ${'FROZEN'}
    ${'revoke'} | ${'REVOKED'}
  `('finds a token that somebody else brought into $state once that state is final', async ({ deed, state }) => {
    const step = aStep();
    await issued(step);
    await byGatekeeper(tokenData(deed, await tokenIdOf(step)));
    expect(await findingOf(step)).toMatchObject({ type: 'not-now', blocks: 'step' });
    await mine(3);
    expect(await findingOf(step)).toEqual(found({ state }));
  });

  it('finds the active token when the wallet has several', async () => {
    const step = aStep();
    await issued(step);
    await byGatekeeper(tokenData('revoke', await tokenIdOf(step)));
    await mintAnother(step, 1_900_000_000);
    await mine(3);
    expect(await findingOf(step)).toEqual(found({ state: 'ACTIVE', expiry: 1_900_000_000 }));
  });
});

describe('a node on Ethereum whose newest block is old', () => {
  it('a node whose newest block is old proves no existing token, and a new issuance is ready all the same', async () => {
    const known = aStep();
    await issued(known);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
    try {
      const results = await prepareAll(chain, [known, aStep()], 0);
      expect(results).toMatchObject([{ type: 'not-now', blocks: 'step' }, { type: 'ready' }]);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('a mint that takes more gas than today', () => {
  it('an issuance follows the estimate of the chain, in its gas limit and its cost', async () => {
    const [before] = await prepareAll(chain, [aStep()], 0);
    const loops = Math.ceil(640_000 / 26);
    await whileMintLoops(loops, async () => {
      const step = aStep();
      const [result] = await prepareAll(chain, [step], 0);
      if (result?.type !== 'ready' || before?.type !== 'ready') throw new Error('not ready');
      expect(Number(result.maxCost) / Number(before.maxCost)).toBeGreaterThan(3);
      const sent = await signed(step);
      expect(Number(parseTransaction(sent.bytes as Hex).gas)).toBeGreaterThan(1_090_000);
      await broadcastAll(chain, [sent]);
      await mine();
      expect(await sightingOf(step, sent)).toMatchObject({ type: 'confirmed' });
    });
  });

  it.each`
    method               | message
    ${'eth_call'}        | ${'out of gas'}
    ${'eth_call'}        | ${'EVM error: OutOfGas'}
    ${'eth_estimateGas'} | ${'gas required exceeds allowance (16777216)'}
  `('waits because the node allows too little gas, and blames no contract: $method $message', async (fault) => {
    const { urls } = alteredNodes(inject('localnet').rpc.sepolia as string, {
      alter: ({ method }, answer) =>
        method === fault.method && (answer.result?.length ?? 0) < 10
          ? { error: { code: -32_000, message: fault.message } }
          : answer,
    });
    const detail = `${fault.method}: ${fault.message}`;
    expect(await prepareAll(open({ endpoints: urls }), [aStep()], 0)).toMatchObject([notNow('out-of-gas', detail)]);
    vi.restoreAllMocks();
  });

  it('takes the result of another endpoint that allows more gas', async () => {
    const { urls } = alteredNodes(
      inject('localnet').rpc.sepolia as string,
      {
        alter: ({ method }, answer) =>
          method === 'eth_estimateGas' ? { error: { code: -32_000, message: 'out of gas' } } : answer,
      },
      HONEST,
    );
    expect(await prepareAll(open({ endpoints: urls }), [aStep()], 0)).toMatchObject([{ type: 'ready' }]);
    vi.restoreAllMocks();
  });

  it('nothing is signed that takes more gas than the network allows', async () => {
    const small = open({ network: { ...sepolia().network, maxGas: 100_000 } });
    await expect(signed(aStep(), 0, small)).rejects.toThrow(SigningRefused);
  });
});

describe('a chain of the OP stack', () => {
  const ORACLE = '0x420000000000000000000000000000000000000F';
  const L1_FEE = 10n ** 15n;
  /** Makes the oracle answer every call with that number. */
  const answerWith = (fee: bigint) =>
    callSepolia('anvil_setCode', ORACLE, `0x7f${fee.toString(16).padStart(64, '0')}5f5260205ff3`);
  const capped = (maxL1Fee: bigint) => open({ network: { ...sepolia().network, maxL1Fee: Number(maxL1Fee) } });
  const costOn = async (on: typeof chain): Promise<number> => {
    const [result] = await prepareAll(on, [aStep()], 0);
    return result?.type === 'ready' ? result.maxCost : Number.NaN;
  };

  it('counts twice the L1 data fee, and waits while that is above maxL1Fee', async () => {
    const without = await costOn(capped(2n * L1_FEE));
    try {
      await answerWith(L1_FEE);
      const step = aStep();
      expect((await costOn(capped(2n * L1_FEE))) - without).toBeCloseTo(2e6, -5);
      expect((await signed(step, 0, capped(2n * L1_FEE))).maxCost).toBeGreaterThan(2e6);
      expect(await prepareAll(capped(2n * L1_FEE - 1n), [step], 0)).toMatchObject([notNow('l1-fee-too-high')]);
    } finally {
      await callSepolia('anvil_setCode', ORACLE, '0x');
    }
  });
});

describe('a wallet with very many tokens', () => {
  it('is served with 20 tokens, and waits for the operator with more, of which none is read', async () => {
    const step: Step = { ...aStep(), kind: 'revoke', rank: 0, known: { state: 'ACTIVE' } };
    for (let count = 0; count < 20; count += 1) await mintAnother(step);
    await mine(4);
    expect(await findingOf(step)).toMatchObject({ type: 'ready' });
    await mintAnother(step);
    await mine(4);
    const asked = vi.spyOn(globalThis, 'fetch');
    const tooMany = notNow('too-many-tokens');
    expect(await prepareAll(chain, [step, step, step], 0)).toEqual([tooMany, tooMany, tooMany]);
    const calls = asked.mock.calls.flatMap(([, init]) => [JSON.parse(String(init?.body))].flat());
    asked.mockRestore();
    // The wallet is read once in the newest and once in the final block, for any number of items.
    expect(calls.filter(({ method }) => method === 'eth_call').length).toBeLessThanOrEqual(2);
    expect(await chain.read([step])).toMatchObject([[{}, { type: 'unreadable', why: tooMany.why }]]);
  });
});

describe('the step set-expiry on Ethereum', () => {
  it('set-expiry waits until the mint of its token is final, and then its transaction changes the expiry', async () => {
    const step = aStep({ expiry: 1_900_000_000 });
    const sent = await signed(step);
    await broadcastAll(chain, [sent]);
    await mine();
    const renewal: Step = { ...step, id: `${step.id}1`, kind: 'set-expiry', expiry: 2_100_000_000 };
    expect(await findingOf(renewal)).toMatchObject({
      type: 'not-now',
      why: 'the tokens of the wallet are not final yet',
    });
    await mine(2);
    const renewed = await signed(renewal);
    await broadcastAll(chain, [renewed]);
    await mine();
    expect(await sightingOf(renewal, renewed)).toMatchObject({ type: 'confirmed' });
    expect(await tokensOf(step)).toEqual([{ state: 'ACTIVE', expiry: 2_100_000_000 }]);
    await mine(2);
    expect(await findingOf(renewal)).toEqual(found({ state: 'ACTIVE', expiry: 2_100_000_000 }));
  });

  it('set-expiry finds state NONE once the burn of its token is final', async () => {
    const step = aStep();
    await issued(step);
    await byGatekeeper(tokenData('burn', await tokenIdOf(step)));
    const renewal: Step = { ...step, kind: 'set-expiry', expiry: 2_100_000_000 };
    expect(await findingOf(renewal)).toMatchObject({ type: 'not-now', blocks: 'step' });
    await mine(3);
    expect(await findingOf(renewal)).toEqual(found({ state: 'NONE' }));
  });
});

describe('a step on Ethereum that cannot be sent', () => {
  it('a gatekeeper network that does not exist on the chain makes its steps wait', async () => {
    const results = await prepareAll(
      chain,
      [aStep({ gatekeeperNetwork: 'ignREusXmGrscGNUesoU9mxfds9AiYTezUKex2PsZV6' })],
      0,
    );
    expect(results).toMatchObject([{ type: 'not-now', blocks: 'lane' }]);
  });

  it('a gatekeeper network that does not authorize the gatekeeper makes its steps wait', async () => {
    const key = `0x${'7'.repeat(64)}` as const;
    const stranger = open({ gatekeeper: { address: '0xa94f5374Fce5edBC8E2a8697C15331677e6EbF0B', key: secret(key) } });
    const results = await prepareAll(stranger, [aStep()], 0);
    expect(results).toMatchObject([
      {
        type: 'not-now',
        blocks: 'lane',
        why: 'the gatekeeper is not authorized on the gatekeeper network',
      },
    ]);
  });

  it('an address without the contract’s code makes the steps of the gatekeeper network wait', async () => {
    const nowhere = aStep({ contract: '0x000000000000000000000000000000000000dEaD' });
    const results = await prepareAll(chain, [nowhere], 0);
    expect(results).toMatchObject([{ type: 'not-now', blocks: 'lane' }]);
  });

  it('an endpoint with the wrong chain id makes the preparation fail', async () => {
    const other = open({ network: { ...sepolia().network, chainId: 1 } });
    await expect(prepareAll(other, [aStep()], 0)).rejects.toThrow('another chain');
  });

  it('a price above maxFeePerGas makes the whole signer wait', async () => {
    const dear = open({ network: { ...sepolia().network, maxFeePerGas: 1 } });
    const results = await prepareAll(dear, [aStep()], 0);
    expect(results).toMatchObject([notNow('gas-price-too-high')]);
  });

  it.each`
    what                     | data                                     | why
    ${'a missing role'}      | ${errorText(MISSING_ROLE)}               | ${`0x08c379a0 ${MISSING_ROLE}`}
    ${'a text of a library'} | ${errorText('Pausable: paused')}         | ${'0x08c379a0 Pausable: paused'}
    ${'an error of its own'} | ${`0xdeadbeef${'0'.repeat(64)}`}         | ${'0xdeadbeef'}
    ${'a panic of its code'} | ${`0x4e487b71${'11'.padStart(64, '0')}`} | ${'0x4e487b71 Panic'}
    ${'no word at all'}      | ${'0x'}                                  | ${'execution reverted'}
  `(
    'a revert of an issuance with $what makes the gatekeeper network wait, and rejects no pass',
    async ({ data, why }) => {
      const [result] = await whileMintReverts(data, () => prepareAll(chain, [aStep()], 0));
      expect(result).toMatchObject({ type: 'not-now', blocks: 'lane' });
      expect(Object(result).why).toContain(`an error that the service does not know: ${why}`);
      expect(await findingOf(aStep())).toMatchObject({ type: 'ready' });
    },
  );

  it('the contract’s refusal of the zero address ends the step for good', async () => {
    const results = await prepareAll(chain, [aStep({ wallet: `0x${'0'.repeat(40)}` })], 0);
    expect(results).toMatchObject([{ type: 'refused', reason: expect.stringContaining('zero address') }]);
  });
});

describe('broadcasting on Ethereum', () => {
  it('counts the answer "already known" to a broadcast as accepted', async () => {
    const sent = await signed(aStep());
    expect(await broadcastAll(chain, [sent, sent])).toEqual([{ type: 'accepted' }, { type: 'accepted' }]);
  });

  it('counts the answer "nonce too low" as refused, and the receipt still confirms the transaction', async () => {
    const step = aStep();
    const sent = await signed(step);
    await broadcastAll(chain, [sent]);
    await mine();
    expect(await broadcastAll(chain, [sent])).toMatchObject([
      { code: 'broadcast-refused', detail: expect.stringMatching(/nonce/i) },
    ]);
    expect(await sightingOf(step, sent)).toMatchObject({ type: 'confirmed' });
  });

  it('counts the answer "replacement underpriced" as refused, and the first transaction is confirmed', async () => {
    const [step, other] = [aStep(), aStep()];
    const [sent, beside] = [await signed(step), await signed(other)];
    await broadcastAll(chain, [sent]);
    const underpriced = { code: 'broadcast-refused', detail: expect.stringMatching(/underpriced/i) };
    expect(await broadcastAll(chain, [beside])).toMatchObject([underpriced]);
    await mine();
    expect(await sightingOf(step, sent)).toMatchObject({ type: 'confirmed' });
  });

  it('counts the answer "insufficient funds" as a lack of funds, not as a refusal', async () => {
    const key = `0x${'8'.repeat(64)}` as const;
    const broke = { gatekeeper: { address: freshWallet(), key: secret(key) } };
    const poor = open(broke);
    const call = { data: mintData(freshWallet(), 1n, undefined), gas: 300_000n };
    expect(await broadcastAll(poor, [await signCall(contextOver(unasked, broke), aStep(), call, PRICE, 0)])).toEqual([
      notNow('no-funds'),
    ]);
  });

  // The texts of other node software.
  it.each`
    message                                               | delivery
    ${'already known'}                                    | ${'accepted'}
    ${'AlreadyKnown'}                                     | ${'accepted'}
    ${'Known transaction'}                                | ${'accepted'}
    ${'Transaction with the same hash already imported.'} | ${'accepted'}
    ${'tx already in mempool'}                            | ${'accepted'}
    ${'unknown transaction type'}                         | ${'broadcast-refused'}
    ${'insufficient funds for gas * price + value'}       | ${'no-funds'}
    ${'InsufficientFunds, Account balance: 0'}            | ${'no-funds'}
    ${'Upfront cost exceeds account balance'}             | ${'no-funds'}
    ${'nonce too low: next nonce 7, tx nonce 6'}          | ${'broadcast-refused'}
    ${'replacement transaction underpriced'}              | ${'broadcast-refused'}
    ${'future transaction tries to replace pending'}      | ${'broadcast-refused'}
  `('classifies the answer "$message" to a broadcast as $delivery', async ({ message, delivery }) => {
    const rpc = async () => [{ error: { code: -32000, message } }];
    const sent = { signed: { identifier: '0x1', bytes: '0x', maxCost: 0 } };
    const [[, result] = []] = await broadcast(contextOver(rpc), [sent]);
    expect(result?.type === 'not-now' ? result.code : result?.type).toBe(delivery);
  });

  it('a transaction to an address without the contract’s code is without effect once it is final', async () => {
    const step = aStep({ contract: '0x000000000000000000000000000000000000dEaD' });
    const call = { data: mintData(step.key.wallet, 1n, undefined), gas: 300_000n };
    const { nonces } = await chain.account();
    const sent = await signCall(contextOver(unasked), step, call, PRICE, nonces?.pending);
    expect(await broadcastAll(chain, [sent])).toEqual([{ type: 'accepted' }]);
    await mine();
    expect(await trackAll(chain, [flight(step, sent)])).toEqual([{ type: 'unconfirmed' }]);
    await mine(2);
    expect(await trackAll(chain, [flight(step, sent)])).toEqual([
      { type: 'without-effect', identifier: sent.identifier },
    ]);
  });
});
