import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild } from '../../terminal/child-process.ts';
import { PROJECT } from '../../terminal/wrangler.ts';
import { findFreePort } from '../../tools/localnet/state/ports.ts';
import { isIgnored } from '../../tools/project-files.ts';
import { runProgram } from '../system/run-program.ts';
import { codeBlocks } from '../unit/documents/markdown.ts';
import type { Proof } from './proof.ts';

/** The end of the lines to paste. */
const LAST_LINE = 'API reference to read and try';
const MB = 1_000_000;
/** The greatest difference between the size in the README and that of this machine, as a share. Other processors have other programs. */
const SIZE_TOLERANCE = 0.1;

/**
 * Runs the first command of the README in a copy of the project without packages, and pastes the lines that it prints. Returns a sentence
 * for each surprise.
 */
export const runSmallInstall: Proof = async () => {
  const parent = mkdtempSync(join(tmpdir(), 'gatepass-small-'));
  const folder = join(parent, 'gatepass');
  try {
    cpSync(PROJECT, folder, { recursive: true, filter: (source) => !isIgnored(source) });
    const [install = '', start = ''] = firstCommands();
    const since = Date.now();
    const installed = await run(folder, `${install} --prefer-offline`);
    const seconds = Math.round((Date.now() - since) / 1000);
    const warnings = installed.lines.filter((line) => line.startsWith('npm warn'));
    const megabytes = Math.round(sizeOf(join(folder, 'node_modules')) / MB);
    process.stdout.write(
      `${installed.lines.find((line) => line.startsWith('added'))}: ${megabytes} MB, ${warnings.length} warnings, ${seconds} s\n`,
    );
    if (installed.code !== 0) return [`${install}: ${installed.lines.join('\n')}`];
    return [...warnings, ...sizeFault(megabytes), ...(await issueFirstPass(folder, start))];
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
};

/** Returns the two commands of the first line under "Try it". */
function firstCommands(): string[] {
  const [, section = ''] = readFileSync(join(PROJECT, 'README.md'), 'utf8').split('\n## Try it\n');
  const [block = ''] = codeBlocks(section, 'sh');
  return (block.split('#')[0] ?? '').split('&&').map((command) => command.trim());
}

function sizeFault(megabytes: number): string[] {
  const [, stated] = /`node_modules` with (\d+) MB/.exec(readFileSync(join(PROJECT, 'README.md'), 'utf8')) ?? [];
  const isRight = Math.abs(Number(stated) - megabytes) <= SIZE_TOLERANCE * megabytes;
  return isRight ? [] : [`the README says ${stated} MB, and node_modules has ${megabytes} MB`];
}

async function issueFirstPass(folder: string, start: string): Promise<string[]> {
  const lines: string[] = [];
  let report = () => {};
  const ready = new Promise<void>((resolve) => {
    report = resolve;
  });
  const options = `--port=${await findFreePort()} --inspector-port=${await findFreePort()}`;
  const service = await startChild('sh', ['-c', `exec ${start} ${options}`], {
    cwd: folder,
    env: environment(),
    onLine: (line) => {
      lines.push(line);
      if (line.startsWith(LAST_LINE)) report();
    },
  });
  try {
    await Promise.race([ready, service.ended]);
    const pasted = lines.filter((line) => /^(export |TOKEN=|curl )/.test(line));
    const { stdout, stderr } = await runProgram(['bash', '--norc', '-c', pasted.join('\n')], {});
    const [, fetched = ''] = stdout.split('\n');
    return fetched.includes('"state":"ACTIVE"') ? [] : [`no pass: ${stdout}${stderr}${lines.slice(-20).join('\n')}`];
  } finally {
    await service.stop();
  }
}

/** The commands find no program of this checkout. */
const environment = () => ({
  NODE_ENV: '',
  // `npm run --silent` would hide the warnings.
  npm_config_loglevel: 'notice',
  PATH: String(process.env.PATH)
    .split(':')
    .filter((each) => !each.startsWith(PROJECT))
    .join(':'),
});

async function run(cwd: string, command: string) {
  const lines: string[] = [];
  const child = await startChild('sh', ['-c', command], {
    cwd,
    env: environment(),
    onLine: (line) => lines.push(line),
  });
  const code = await child.ended;
  return { code, lines: lines.filter((line) => line !== '') };
}

const BLOCK_BYTES = 512;

/** Returns the room that the files in a folder take on the disk, in bytes. */
function sizeOf(folder: string): number {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return entries.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).blocks * BLOCK_BYTES, 0);
}
