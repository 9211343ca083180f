/** `npm run site` builds all documents as a site into `dist/site`, for operators and contributors. Any server of files can serve it. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { reportFailure } from '../terminal/failure.ts';
import { PROJECT } from '../terminal/wrangler.ts';
import { buildSite } from './site/build-site.ts';

const FOLDER = join(PROJECT, 'dist', 'site');

try {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  await buildSite('repository', FOLDER);
  console.log(`The site is in ${FOLDER}.`);
} catch (error) {
  process.exitCode = reportFailure(error);
}
