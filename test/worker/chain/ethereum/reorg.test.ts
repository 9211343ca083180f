import { encodeFunctionData, parseAbi } from 'viem/utils';
import { describe, expect, it } from 'vitest';
import { mintData } from '../../../../src/chain/ethereum/gateway.ts';
import { slotOf } from '../../../../src/network/slot.ts';
import type { Step } from '../../../../src/pass/step.ts';
import { broadcastAll } from '../ask.ts';
import { chain, findingOf, sightingOf, signed, tokenIdOf, tokensOf } from './issuing.ts';
import { aStep, callSepolia, makeBlocksByHand, mine, sepolia } from './node.ts';

/** Effects of a reorg on the real contract. The test makes the blocks. */

makeBlocksByHand();

const ADD_GATEKEEPER = parseAbi(['function addGatekeeper(address gatekeeper, uint256 network)']);
const slotOfStep = ({ key }: Step) => slotOf(key.gatekeeperNetwork) as bigint;
const to = sepolia().network.gateway;

/** Makes an account of the node another gatekeeper of the step's gatekeeper network. */
async function anotherGatekeeper(step: Step): Promise<string> {
  const [authority, , other] = await callSepolia<[string, string, `0x${string}`]>('eth_accounts');
  const data = encodeFunctionData({ abi: ADD_GATEKEEPER, args: [other, slotOfStep(step)] });
  await callSepolia('eth_sendTransaction', { from: authority, to, data, gas: '0x7a120' });
  await mine();
  return other;
}

describe('the token ids of two wallets that swap', () => {
  it('a freeze waits until the token id is final, so it hits the right wallet after two token ids swap', async () => {
    const [ours, theirs] = [aStep(), aStep()];
    const from = await anotherGatekeeper(theirs);
    const mint = { from, to, data: mintData(theirs.key.wallet, slotOfStep(theirs), undefined), gas: '0x7a120' };
    const sent = await signed(ours);
    await broadcastAll(chain, [sent]);
    await callSepolia('eth_sendTransaction', mint);
    await mine();
    const before = { ours: await tokenIdOf(ours), theirs: await tokenIdOf(theirs) };
    const freeze: Step = { ...ours, id: `${ours.id}1`, kind: 'freeze' };
    expect(await findingOf(freeze)).toMatchObject({
      type: 'not-now',
      why: 'the tokens of the wallet are not final yet',
    });

    const inOrder = [
      [sent.bytes, 0],
      [mint, 0],
    ];
    await callSepolia('anvil_reorg', 1, before.ours < before.theirs ? inOrder.toReversed() : inOrder);
    expect({ ours: await tokenIdOf(ours), theirs: await tokenIdOf(theirs) }).toEqual({
      ours: before.theirs,
      theirs: before.ours,
    });
    expect(await sightingOf(ours, sent)).toMatchObject({ type: 'confirmed' });
    expect(await findingOf(freeze)).toMatchObject({
      type: 'not-now',
      why: 'the tokens of the wallet are not final yet',
    });

    await mine(4);
    await broadcastAll(chain, [await signed(freeze)]);
    await mine();
    expect(await tokensOf(ours)).toMatchObject([{ state: 'FROZEN' }]);
    expect(await tokensOf(theirs)).toMatchObject([{ state: 'ACTIVE' }]);
  });
});

describe('a transaction whose block leaves the chain', () => {
  const confirmed = async () => {
    const step = aStep();
    const sent = await signed(step);
    await broadcastAll(chain, [sent]);
    await mine();
    const sighting = await sightingOf(step, sent);
    if (sighting?.type !== 'confirmed') throw new Error('not confirmed');
    return { step, sent, place: sighting.includedIn };
  };

  it('a transaction whose block left the chain is unconfirmed, and the same bytes are confirmed in another block', async () => {
    const { step, sent, place } = await confirmed();
    await callSepolia('anvil_reorg', 1, []);
    expect(await sightingOf(step, sent, place)).toEqual({ type: 'unconfirmed' });
    expect(await broadcastAll(chain, [sent])).toEqual([{ type: 'accepted' }]);
    await mine();
    expect(await sightingOf(step, sent)).toMatchObject({ type: 'confirmed', identifier: sent.identifier });
  });

  it('a transaction that a reorg moved to another block is confirmed in that block', async () => {
    const { step, sent, place } = await confirmed();
    await mine();
    await callSepolia('anvil_reorg', 2, [[sent.bytes, 1]]);
    const again = await sightingOf(step, sent, place);
    expect(again).toMatchObject({
      type: 'confirmed',
      identifier: sent.identifier,
      includedIn: { block: place.block + 1 },
    });
  });
});
