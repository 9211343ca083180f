import { bundleWorker, gzippedSize } from '../../worker-bundle.ts';
import type { Measure } from '../measure.ts';

/** The size of the code: of the part that each isolate loads when it starts, and of all modules that are uploaded. */
export const bundleMeasure: Measure = {
  name: 'bundle',
  async run() {
    const bundle = await bundleWorker();
    const sizes = [
      ['main module, gzipped', gzippedSize(bundle, bundle.atStart), 172],
      ['all modules, gzipped', gzippedSize(bundle), 260],
    ] as const;
    return sizes.map(([what, bytes, atMost]) => {
      return { what, unit: 'kB', value: bytes / 1000, targets: [{ of: 'value', atMost }] };
    });
  },
};
