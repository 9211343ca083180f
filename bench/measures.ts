import type { Measure } from './measure.ts';
import { accepting } from './measures/accept.ts';
import { background } from './measures/background.ts';
import { bundle } from './measures/bundle.ts';
import { fetching } from './measures/fetch.ts';
import { growth } from './measures/growth.ts';
import { keys } from './measures/keys.ts';
import { memory } from './measures/memory.ts';
import { onePass } from './measures/one-pass.ts';
import { searching } from './measures/search.ts';
import { settle } from './measures/settle.ts';
import { short } from './measures/short.ts';
import { startup } from './measures/startup.ts';

/** Every line of the table, in its order. */
export const MEASURES: readonly Measure[] = [
  fetching,
  searching,
  accepting,
  settle,
  onePass,
  keys,
  background,
  memory,
  growth,
  bundle,
  startup,
  short,
];
