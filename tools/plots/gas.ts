import snapshot from '../../packages/contracts/gas-snapshot.json' with { type: 'json' };
import { ACCENT, type Bar, bars, MUTED, PEERS, picture, text } from './svg.ts';

/** The gas of an issuance with an expiry. The one of the protocol's contract is that of the table in docs/operators/cost.md. */
export const ISSUANCE_GAS = { protocol: 260_000, slim: snapshot['slim: mint with an expiry'] } as const;

/** Gas prices in gwei, each with where they are usual. */
export const GAS_PRICES = [
  [0.01, 'a rollup'],
  [1, 'Ethereum on a quiet day'],
  [20, 'Ethereum on a busy day'],
] as const;

/** The assumed price of a coin in dollars. */
const COIN_USD = 3_000;
const GWEI_PER_COIN = 1e9;
const PASSES = 1_000;

const rounded = (number: number) => number.toLocaleString('en-US', { maximumSignificantDigits: 2 });

/** Returns what a thousand issuances cost, in coins and in dollars. */
export function costOfThousand(gas: number, gwei: number): string {
  const coins = (PASSES * gas * gwei) / GWEI_PER_COIN;
  const dollars = coins * COIN_USD;
  return `${rounded(coins)} ETH, $${dollars < 10 ? dollars.toFixed(2) : rounded(dollars)}`;
}

/** Draws what a thousand issuances cost in both contracts, at each gas price. */
export function drawGas(): string {
  let at = 56;
  const parts = GAS_PRICES.flatMap(([gwei, where]) => {
    const rows: Bar[] = [
      ['the protocol’s contract', ISSUANCE_GAS.protocol, PEERS[0]] as const,
      ['SlimGateway', ISSUANCE_GAS.slim, ACCENT] as const,
    ].map(([label, gas, fill]) => ({ label, value: gas, shown: costOfThousand(gas, gwei), fill }));
    // The cost at the end of a bar needs room, so the longest one leaves some.
    const drawn = bars(at + 22, rows, ISSUANCE_GAS.protocol * 1.2);
    const heading = text(20, at + 10, `At ${gwei} gwei, as on ${where}`, { weight: 600 });
    at = drawn.end + 18;
    return [heading, ...drawn.parts];
  });
  const note = `A coin is counted as $${COIN_USD.toLocaleString('en-US')}. Rollups add their data fee.`;
  return picture('Gas of a thousand issuances with an expiry', at + 26, [
    ...parts,
    text(20, at + 8, note, { size: 12, fill: MUTED }),
  ]);
}
