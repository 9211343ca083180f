import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { build } from '../build.ts';
import type { Measure } from '../measure.ts';

/** The size of the code that is uploaded, and that each isolate loads. */
export const bundleMeasure: Measure = {
  name: 'bundle',
  async run({ folder }) {
    const { script } = await build({ folder });
    const value = gzipSync(await readFile(script), { level: 9 }).length / 1000;
    return [{ what: 'bundle, gzipped', unit: 'kB', value, targets: [{ of: 'value', atMost: 165 }] }];
  },
};
