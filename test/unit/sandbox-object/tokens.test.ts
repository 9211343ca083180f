import { expect, it } from 'vitest';
import { ACCEPTED_IN } from '../../../src/sandbox-object/tokens.ts';
import { CHAIN_TABLE } from '../../worker/settlement/chain-table.ts';

it('the simulated chains accept an operation in the same states as the real ones', () => {
  expect(ACCEPTED_IN).toEqual(CHAIN_TABLE);
});
