import results from '../bench/results.json' with { type: 'json' };
import { drawMonth, drawParts } from './cost.ts';
import { gigabytesOf, measureRowBytes } from './database-size.ts';
import { drawGas } from './gas.ts';
import { drawSpeed } from './speed.ts';

/** Draws each picture, by its file. */
export const PLOTS: Readonly<Record<string, () => string>> = {
  'docs/pictures/speed.svg': () => drawSpeed(results),
  'docs/operators/pictures/parts.svg': drawParts,
  'docs/operators/pictures/gas.svg': drawGas,
  'docs/operators/pictures/month.svg': () => {
    const bytes = measureRowBytes();
    return drawMonth((passes) => gigabytesOf(passes, bytes));
  },
};
