import { expect, it } from 'vitest';
import snapshot from '../../../packages/contracts/gas-snapshot.json' with { type: 'json' };
import { costOfThousand, GAS_PRICES, ISSUANCE_GAS } from '../../../tools/plots/gas.ts';
import { tableRows, textOf } from './markdown.ts';

/** Compares the gas of SlimGateway in docs/operators/cost.md with the snapshot that `test/system/packages/contracts/` compares exactly. */

const cost = textOf('docs/operators/cost.md');
const rows = new Map(tableRows(cost).map(([name = '', ...cells]) => [name, cells]));
const gasIn = (cell: string | undefined) => Number(cell?.replaceAll(',', ''));

it.each([
  ['issue a pass', 'slim: mint'],
  ['issue a pass with an expiry', 'slim: mint with an expiry'],
  ['freeze it', 'slim: freeze'],
  ['unfreeze it', 'slim: unfreeze'],
  ['set another expiry', 'slim: setExpiration'],
  ['revoke it', 'slim: revoke'],
] as const)('the gas to %s is that of the snapshot, in thousands', (row, name) => {
  expect(Math.abs(gasIn(rows.get(row)?.[2]) - snapshot[name])).toBeLessThanOrEqual(1_000);
});

it('the protocol’s contract takes the gas with which the picture compares', () => {
  expect(gasIn(rows.get('issue a pass with an expiry')?.[0])).toBe(ISSUANCE_GAS.protocol);
});

it.each(GAS_PRICES)('at %s gwei, a thousand passes cost what the table says', (gwei) => {
  const amounts = [ISSUANCE_GAS.protocol, ISSUANCE_GAS.slim].map((gas) => costOfThousand(gas, gwei));
  expect(rows.get(`${gwei} gwei`)).toEqual(amounts);
});
