import { afterEach, expect, it } from 'vitest';
import { makeBlocksByHand, mine } from '../chain/ethereum/node.ts';
import { stopBusySigner } from './an-emergency.ts';

/** An emergency while a signer with much work keeps the variables of before. */

makeBlocksByHand();
// No transaction may be pending when the next signer starts with an empty store.
afterEach(() => mine(4));

it('a signer with 1,000 waiting steps signs none of them once it has confirmed that its key has leaked', async () => {
  expect(await stopBusySigner(1_000)).toBeGreaterThan(800);
});
