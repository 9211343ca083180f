/**
 * `npm run test:packages` runs the proofs with packages that are too large for `npm ci`. Each folder has a manifest and a lockfile of its
 * own, which only this command installs; `small-install` installs packages of the project. `-- NAME` runs one proof. With `-- --write`, the proofs
 * write the files that they compare.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Argument } from 'commander';
import { startChild, stopChildren } from '../../terminal/child-process.ts';
import { npmCommand } from '../../terminal/command.ts';
import { runCommand } from '../../terminal/run-command.ts';
import { startGatepass } from '../../tools/localnet/gatepass.ts';
import { openStateFolder } from '../../tools/localnet/state/state-folder.ts';
import { startChromium } from '../system/chromium.ts';
import { compareCivicReact } from './civic-react.ts';
import { parseDiagrams } from './mermaid.ts';
import { runPassGuide } from './pass-guide.ts';
import { compareCollectionRuns } from './postman.ts';
import type { Proof } from './proof.ts';
import { runInNode20, runInOldestNode, runInRuntimes } from './runtimes.ts';
import { runSmallInstall } from './small-install.ts';

const PROOFS: Readonly<Record<string, Proof>> = {
  'civic-react': compareCivicReact,
  mermaid: parseDiagrams,
  'node-20': runInNode20,
  'node-20-3': runInOldestNode,
  'pass-guide': runPassGuide,
  postman: compareCollectionRuns,
  runtimes: runInRuntimes,
  'small-install': runSmallInstall,
};

await runCommand(async (atEnd) => {
  const command = npmCommand(
    'test:packages',
    'Runs the proofs with packages that are too large for `npm ci`, and installs those.',
  )
    .addArgument(new Argument('[proof...]', 'default: all of them').choices(Object.keys(PROOFS)))
    .option('--write', 'the proofs write the files that they compare', false)
    .parse(process.argv.slice(2), { from: 'user' });
  const { write } = command.opts<{ write: boolean }>();
  const names = command.args.length === 0 ? Object.keys(PROOFS) : command.args;

  for (const folder of names.map((name) => join(import.meta.dirname, name)).filter(existsSync)) await install(folder);
  const state = openStateFolder();
  atEnd(state.close);
  const { facts } = await startGatepass({ folder: state.folder });
  atEnd(stopChildren);
  const browser = await startChromium();
  atEnd(() => browser.close());

  const differences: string[] = [];
  for (const name of names) {
    process.stdout.write(`${name}\n`);
    differences.push(...((await PROOFS[name]?.({ facts, browser, isToWrite: write })) ?? []));
  }
  for (const difference of differences) process.stderr.write(`${difference}\n`);
  return differences.length === 0 ? 0 : 1;
});

async function install(folder: string): Promise<void> {
  const npm = await startChild('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder });
  if ((await npm.ended) !== 0) throw new Error(npm.lastLines.join('\n'));
}
