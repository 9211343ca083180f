/** `node scripts/build.ts` writes the files that the Worker needs beside its source. Wrangler runs it before it builds. */
import { writeAssets } from './assets.ts';
import { writeOnDemand } from './on-demand.ts';

writeAssets();
writeOnDemand();
