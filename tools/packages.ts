/**
 * `npm run packages` writes the packages of client, command and contracts into `dist/packages/`, the same bytes that the service offers under
 * `/downloads`. With `--publishable`, it refuses packages that must not reach a registry.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { npmCommand, runNpmCommand } from '../terminal/command.ts';
import { Failure } from '../terminal/failure.ts';
import { print } from '../terminal/print.ts';
import { folderOf, WORKSPACES } from './packages/compile.ts';
import { fileOf, manifestOf, PACKAGES, packages } from './packages/pack.ts';

/** The host of the placeholder in both manifests (RFC 2606). A registry checks the provenance against the real repository. */
const PLACEHOLDER = 'git.example.com';

/** Throws Failure if a registry would get a package without its repository, or without a word about the version. */
function demandPublishable(): void {
  for (const workspace of WORKSPACES) {
    const { version, repository } = manifestOf(workspace);
    if (repository.url.includes(PLACEHOLDER))
      throw new Failure(`packages/${workspace}/package.json has no real repository: set repository.url, and commit it`);
    if (!readFileSync(join(folderOf(workspace), 'CHANGELOG.md'), 'utf8').includes(`\n## ${version}\n`))
      throw new Failure(`packages/${workspace}/CHANGELOG.md has no section about ${version}`);
  }
}

const command = npmCommand('packages', 'Writes the packages of client, command and contracts into dist/packages/.')
  .option('--publishable', 'refuses packages that must not reach a registry', false)
  .action(({ publishable }: { publishable: boolean }) => {
    if (publishable) demandPublishable();
    for (const each of packages()) {
      const hash = createHash('sha512').update(each.tarball).digest('base64');
      print(`${join(PACKAGES, fileOf(each))} ${each.tarball.length} bytes sha512-${hash}`);
    }
  });

process.exitCode = await runNpmCommand(command, process.argv.slice(2));
