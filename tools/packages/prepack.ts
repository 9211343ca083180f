/**
 * npm runs this before `npm pack` and `npm publish` in the folder of a workspace. It writes the compiled code there, and the packages that
 * the package contains. With `--end`, after the packing, it removes those again, because the checkout uses the sources.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { WORKSPACES } from './compile.ts';
import { containedIn, filesOf } from './pack.ts';

const folder = process.cwd();
const workspace = WORKSPACES.find((name) => name === basename(folder));
if (workspace === undefined) throw new Error('npm starts this script in the folder of a package');
const contained = containedIn(workspace).map((name) => join(folder, 'node_modules', name));

for (const each of [join(folder, 'dist'), ...contained]) rmSync(each, { recursive: true, force: true });
if (!process.argv.includes('--end')) {
  for (const { path, content } of filesOf(workspace).filter((file) => /^(?:dist|node_modules)\//.test(file.path))) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}
