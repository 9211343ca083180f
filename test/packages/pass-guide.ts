import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { buildSync } from 'esbuild';
import { freshWallet } from '../../tools/localnet/partner/fresh-wallet.ts';
import { LocalnetPartner } from '../../tools/localnet/partner/localnet-partner.ts';
import { LIFE_STAGES, runStage } from '../../tools/localnet/partner/pass-life.ts';
import { startRecordingProxy } from '../system/ops/recording-proxy.ts';
import { type ExamplePage, openExamplePage } from '../system/require-a-pass/example-page.ts';
import { runProgram } from '../system/run-program.ts';
import { guideBlock } from '../unit/documents/pass-guide.ts';
import type { Proof } from './proof.ts';

const FOLDER = join(import.meta.dirname, 'pass-guide');
/** A folder that git ignores, from which the packages of the proof resolve. */
const EXAMPLES = join(FOLDER, 'node_modules/.guide');
const RECORDED = join(FOLDER, 'outcomes.json');
const WAIT_MS = 180_000;
/** Nothing listens there. */
const NOWHERE = 'http://127.0.0.1:9';

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

/** Writes the examples and compiles them with the packages of the proof. Resolves to the compiler's errors. */
async function compileExamples(): Promise<readonly string[]> {
  mkdirSync(EXAMPLES, { recursive: true });
  writeFileSync(join(EXAMPLES, 'ethers.mts'), guideBlock('ts', 'ethers'));
  writeFileSync(join(EXAMPLES, 'wagmi.tsx'), guideBlock('tsx', 'wagmi'));
  writeFileSync(
    join(EXAMPLES, 'node.d.ts'),
    'declare const process: { readonly env: Record<string, string | undefined> };',
  );
  const compilerOptions = {
    ...{ strict: true, skipLibCheck: true, target: 'es2022', lib: ['es2022', 'dom'], jsx: 'react-jsx', types: [] },
    ...{ module: 'esnext', moduleResolution: 'bundler' },
  };
  writeFileSync(join(EXAMPLES, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  const compiler = join(FOLDER, 'node_modules/typescript/bin/tsc');
  const { code, stdout } = await runProgram([process.execPath, compiler, '-p', EXAMPLES], {});
  return code === 0 ? [] : [stdout];
}

/** Returns the example for ethers, which reads the URL of the node when it loads. */
async function loadEthers(url: string): Promise<{ hasPass(wallet: string): Promise<boolean> }> {
  process.env.ETHEREUM_RPC_URL = url;
  try {
    return await import(`${pathToFileURL(join(EXAMPLES, 'ethers.mjs')).href}?url=${encodeURIComponent(url)}`);
  } finally {
    delete process.env.ETHEREUM_RPC_URL;
  }
}

/** Returns the script of the page with the example for wagmi. */
function bundlePage(): string {
  const { outputFiles } = buildSync({
    entryPoints: [join(FOLDER, 'wagmi.js')],
    bundle: true,
    write: false,
    format: 'esm',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  return outputFiles[0]?.text ?? '';
}

/** Waits until the query of the page has this state, and returns whether the page admits the wallet then. */
async function admitsAt({ tab }: ExamplePage, stateOfQuery: string): Promise<boolean> {
  const isReached = `globalThis.stateOfQuery?.() === ${JSON.stringify(stateOfQuery)}`;
  await tab.waitForFunction(isReached, undefined, { timeout: WAIT_MS });
  return (await tab.locator('#inside').count()) === 1;
}

const versionOf = (name: string): string =>
  JSON.parse(readFileSync(join(FOLDER, 'node_modules', name, 'package.json'), 'utf8')).version;

/**
 * Runs the examples of the guide for ethers and wagmi with the pass of one wallet, and compares the outcome with `pass-guide/outcomes.json`, which
 * also has the hash of each example. With `--write` it writes that file.
 */
export const runPassGuide: Proof = async ({ facts, browser, isToWrite }) => {
  const faults = await compileExamples();
  if (faults.length > 0) return faults;
  const node = await startRecordingProxy(facts.rpc.sepolia ?? '');
  const acme = new LocalnetPartner(facts, 'acme');
  const wallet = freshWallet('sepolia');
  const ethers = await loadEthers(node.url);
  const page = await openExamplePage(browser, bundlePage(), facts.rpc.sepolia ?? '', { wallet });
  const admitted: Record<string, { ethers: boolean; wagmi: boolean }> = {};
  const look = async (state: string, isExpected: boolean) => {
    process.stdout.write(`  ${state}\n`);
    const wagmi = await admitsAt(page, `success ${isExpected}`);
    admitted[state] = { ethers: await ethers.hasPass(wallet), wagmi };
  };
  await look('none', false);
  for (const stage of LIFE_STAGES) {
    await runStage(stage, acme, 'sepolia', wallet);
    await look(stage.name, stage.accepted);
    if (stage.name !== 'unfreeze') continue;
    page.setReachable(false);
    const wagmi = await admitsAt(page, 'error true');
    const failed = await loadEthers(NOWHERE)
      .then(({ hasPass }) => hasPass(wallet))
      .then(
        () => false,
        () => true,
      );
    admitted['no answer'] = { ethers: !failed, wagmi };
    page.setReachable(true);
    await admitsAt(page, 'success true');
  }
  const before = node.requests.length;
  await ethers.hasPass(wallet);
  const methods = node.requests
    .slice(before)
    .flat()
    .map(({ method }) => method);
  await page.tab.close();
  node.stop();
  const outcome = {
    versions: { ethers: versionOf('ethers'), wagmi: versionOf('wagmi') },
    examples: { ethers: hashOf(guideBlock('ts', 'ethers')), wagmi: hashOf(guideBlock('tsx', 'wagmi')) },
    admitted,
    ethersAsks: methods,
    wagmiAsks: [...page.asked],
  };
  process.stdout.write(`${JSON.stringify(outcome, undefined, 2)}\n`);
  if (isToWrite) {
    writeFileSync(RECORDED, `${JSON.stringify(outcome, undefined, 2)}\n`);
    return [];
  }
  if (isDeepStrictEqual(outcome, JSON.parse(readFileSync(RECORDED, 'utf8')))) return [];
  return ['The examples for ethers and wagmi do something else than pass-guide/outcomes.json says.'];
};
