/** `node tools/build.ts` writes the files that the Worker needs beside its source. Wrangler runs it before it builds. */
import { writeAssets } from './assets.ts';
import { writeOnDemand } from './on-demand.ts';

writeAssets();
writeOnDemand();

const { WRANGLER_COMMAND, NODE_ENV } = process.env;
if (WRANGLER_COMMAND === 'dev') {
  const { prepareClone } = await import('./development.ts');
  await prepareClone();
} else if (NODE_ENV === 'development') {
  // Wrangler would bundle the code for a developer's machine, which it otherwise does for `wrangler dev` alone.
  console.error('NODE_ENV is "development". Unset it: a release has no code of a developer\'s machine.');
  process.exitCode = 1;
}
