import type { Hex } from 'viem';
import { numberToHex, parseTransaction } from 'viem/utils';
import { beforeAll, describe, expect, it } from 'vitest';
import { identityOf } from '../../../../src/chain/ethereum/rpc.ts';
import { track } from '../../../../src/chain/ethereum/track.ts';
import { type JsonRpc, jsonRpc } from '../../../../src/chain/json-rpc.ts';
import type { Signed } from '../../../../src/chain/port.ts';
import type { Step } from '../../../../src/pass/step.ts';
import { CIVIC_CONTRACT, defaultContract } from '../../../default-contract.ts';
import { installSecondContract } from '../../second-contract.ts';
import { answersIn, broadcastAll, prepareAll, readAll, trackAll } from '../ask.ts';
import { chain, flight, flown, issued, signed, tokenIdOf, tokenIdsOf } from './issuing.ts';
import { aStep, callSepolia, contextOver, makeBlocksByHand, mine, sepolia } from './node.ts';

/**
 * Passes in two contracts of one network, which a gatekeeper network or its slot alone cannot tell apart. The test makes the blocks,
 * and so decides about finality.
 */

makeBlocksByHand();
beforeAll(() => installSecondContract());

const CONTRACTS = [defaultContract({ network: 'sepolia' }), CIVIC_CONTRACT] as const;

/** Returns the same step in both contracts: of one wallet and one gatekeeper network. */
function inBoth(changes: Partial<Step> = {}): [ours: Step, civics: Step] {
  const { key } = aStep();
  const [ours, civics] = CONTRACTS.map((contract) => ({ ...aStep({ contract, ...changes }), key }));
  return [ours as Step, civics as Step];
}

const as = (step: Step, changes: Partial<Step>): Step => ({ ...step, ...changes, id: `${step.id}9` });
/** The contract counts its tokens in one of its first places. */
const PLACES = 1_000;

const placesOf = (contract: string) =>
  Promise.all(
    Array.from({ length: PLACES }, (_, place) =>
      callSepolia<Hex>('eth_getStorageAt', contract, numberToHex(place), 'latest'),
    ),
  );

/**
 * Lets the contract with fewer tokens count on from the other one, so that the next token has the same id in both. Files before this one
 * have minted thousands.
 */
async function alignTokenIds(): Promise<void> {
  const newest = inBoth();
  for (const step of newest) await issued(step);
  const ids = await Promise.all(newest.map(tokenIdOf));
  const [ours, civics] = await Promise.all(CONTRACTS.map(placesOf));
  const holds = (value: Hex | undefined, id = 0n) => value !== undefined && BigInt(value) === id;
  // Behind it is the length of the list of all tokens, which has the same value while nobody has burned one.
  const counter = Array.from({ length: PLACES }, (_, place) => place).find(
    (place) => holds(ours?.[place], ids[0]) && holds(civics?.[place], ids[1]),
  );
  expect(counter).toBeDefined();
  const [most = 0n] = ids.toSorted((a = 0n, b = 0n) => (a > b ? -1 : 1));
  const words = [counter ?? 0, most].map((value) => numberToHex(value, { size: 32 }));
  for (const contract of CONTRACTS) await callSepolia('anvil_setStorageAt', contract, ...words);
}

const stateOf = async (step: Step) => {
  const [reading] = await readAll(chain, [step]);
  return reading?.type === 'read' ? reading.onChain.state : reading?.type;
};

describe('two contracts on one network', () => {
  it('prepares steps of both in one batch, each in its own contract', async () => {
    const [ours, civics] = inBoth();
    const { results, nonces } = await chain.prepare([{ step: ours }, { step: civics }], 0);
    const sent: Signed[] = [];
    for (const result of answersIn(results)) {
      if (result.type !== 'ready') throw new Error(`not ready: ${JSON.stringify(result)}`);
      sent.push(await result.sign((nonces?.pending ?? 0) + sent.length));
    }
    expect(sent.map(({ bytes }) => parseTransaction(bytes as Hex).to)).toEqual(
      CONTRACTS.map((contract) => contract.toLowerCase()),
    );
    await broadcastAll(chain, sent);
    await mine();
    const flights = [ours, civics].map((step, index) => flight(step, sent[index] as Signed));
    expect(await trackAll(chain, flights)).toMatchObject([{ type: 'confirmed' }, { type: 'confirmed' }]);
  });

  it('changes the token of one contract, and never that of the other', async () => {
    const [ours, civics] = inBoth();
    for (const step of [ours, civics]) await issued(step);
    const [known, other] = [ours, civics].map((step) => as(step, { known: { state: 'ACTIVE' } })) as [Step, Step];
    await flown({ ...known, kind: 'freeze' });
    await mine(3);
    expect([await stateOf(ours), await stateOf(civics)]).toEqual(['FROZEN', 'ACTIVE']);
    await flown({ ...other, kind: 'revoke' });
    await mine(3);
    expect(await stateOf({ ...ours, known: { state: 'FROZEN' } } as Step)).toBe('FROZEN');
    const results = await prepareAll(chain, [
      { ...known, kind: 'unfreeze' },
      { ...other, kind: 'revoke' },
    ]);
    expect(results).toMatchObject([{ type: 'ready' }, { type: 'found', onChain: { state: 'REVOKED' } }]);
  });

  it('reads the tokens of a wallet in both contracts, although their ids are the same', async () => {
    const [ours, civics] = inBoth({ expiry: 2_000_000_000 });
    // The ids differ, whatever files before this one have minted.
    await issued(inBoth()[0]);
    await alignTokenIds();
    const [early, late] = [ours, { ...civics, expiry: 2_100_000_000 }];
    for (const step of [early, late]) await issued(step);
    expect(await tokenIdsOf(early)).toEqual(await tokenIdsOf(late));
    expect(await readAll(chain, [early, late])).toMatchObject([
      { onChain: { expiry: 2_000_000_000 } },
      { onChain: { expiry: 2_100_000_000 } },
    ]);
  });

  it('does not believe a node that shows the event in the other contract', async () => {
    const send = jsonRpc(sepolia().endpoints, identityOf(sepolia().network));
    const [ours, other] = CONTRACTS.map((contract) => contract.toLowerCase()) as [string, string];
    const moves = (text: string) => text.replaceAll(ours, other);
    const lying: JsonRpc = async (calls) => {
      const answers = await send(calls);
      return JSON.parse(moves(JSON.stringify(answers))) as typeof answers;
    };
    const [step] = inBoth();
    const sent = await signed(step);
    await broadcastAll(chain, [sent]);
    await mine();
    const statusFrom = async (rpc: JsonRpc, seen: Step) =>
      answersIn(await track(contextOver(rpc), [flight(seen, sent)]))[0]?.type;
    expect(await statusFrom(send, step)).toBe('confirmed');
    expect(await statusFrom(lying, step)).toBe('unconfirmed');
    expect(await statusFrom(send, { ...step, contract: CIVIC_CONTRACT })).toBe('unconfirmed');
    expect(await statusFrom(lying, { ...step, contract: CIVIC_CONTRACT.toLowerCase() })).toBe('confirmed');
  });
});
