import type { Measure } from './measure.ts';
import { acceptMeasure } from './measures/accept.ts';
import { backgroundMeasure } from './measures/background.ts';
import { beforeMeasure } from './measures/before.ts';
import { bulkMeasure } from './measures/bulk.ts';
import { bundleMeasure } from './measures/bundle.ts';
import { deliverMeasure } from './measures/deliver.ts';
import { fetchMeasure } from './measures/fetch.ts';
import { growthMeasure } from './measures/growth.ts';
import { keysMeasure } from './measures/keys.ts';
import { kmsMeasure } from './measures/kms.ts';
import { memoryMeasure } from './measures/memory.ts';
import { neighborMeasure } from './measures/neighbor.ts';
import { onePassMeasure } from './measures/one-pass.ts';
import { revokeMeasure } from './measures/revoke.ts';
import { searchMeasure } from './measures/search.ts';
import { networkMeasure } from './measures/search-network.ts';
import { settleMeasure } from './measures/settle.ts';
import { shortMeasure } from './measures/short.ts';
import { startupMeasure } from './measures/startup.ts';
import { strangerMeasure } from './measures/stranger.ts';
import { verifyMeasure } from './measures/verify.ts';

/** All measures, in the order of the table. */
export const MEASURES: readonly Measure[] = [
  fetchMeasure,
  searchMeasure,
  networkMeasure,
  verifyMeasure,
  neighborMeasure,
  acceptMeasure,
  bulkMeasure,
  settleMeasure,
  onePassMeasure,
  keysMeasure,
  kmsMeasure,
  strangerMeasure,
  revokeMeasure,
  backgroundMeasure,
  deliverMeasure,
  memoryMeasure,
  growthMeasure,
  bundleMeasure,
  startupMeasure,
  shortMeasure,
  beforeMeasure,
];
