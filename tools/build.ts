/**
 * `node tools/build.ts` writes the files that the Worker needs beside its source. Wrangler runs it before it builds. With `--worker FOLDER`, it
 * also bundles the Worker into the folder, as a release has it (`npm run build`).
 */
import { parseArgs } from 'node:util';
import { print } from '../terminal/print.ts';
import { writeAssets } from './assets.ts';
import { gzippedSize, writeWorker } from './worker-bundle.ts';

const { worker } = parseArgs({ options: { worker: { type: 'string' } } }).values;

writeAssets();

const { WRANGLER_COMMAND, NODE_ENV } = process.env;
if (worker !== undefined) {
  const bundle = await writeWorker(worker);
  const [main, all] = [gzippedSize(bundle, bundle.atStart), gzippedSize(bundle)].map((bytes) =>
    Math.ceil(bytes / 1000),
  );
  print(`${worker}: the main module has ${main} kB gzipped, all modules together have ${all} kB.`);
} else if (WRANGLER_COMMAND === 'dev') {
  const { prepareClone } = await import('./development.ts');
  await prepareClone();
} else if (NODE_ENV === 'development') {
  // Wrangler would bundle the code for a developer's machine, which it otherwise does for `wrangler dev` alone.
  console.error('NODE_ENV is "development". Unset it: a release has no code of a developer\'s machine.');
  process.exitCode = 1;
}
