import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import type { Address } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PROJECT } from '../../../terminal/wrangler.ts';
import { PARTNERS } from '../../../tools/localnet/oauth/partners.ts';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import { openStateFolder } from '../../../tools/localnet/state/state-folder.ts';
import { unpackPackage } from '../../../tools/packages/unpack.ts';
import { eventually } from '../../eventually.ts';
import { guideBlock } from '../../unit/documents/pass-guide.ts';
import { type Browser, startChromium } from '../chromium.ts';
import { compile, linkPackages } from '../packages/client/install-client.ts';
import { type ExamplePage, openExamplePage } from './example-page.ts';
import { type OwnChain, startOwnChain } from './own-chain.ts';

/** The example of the guide "Require a pass" for React, with the package as partners install it, in a browser. */

const PAGE = `import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { createPublicClient, http } from 'viem';
import { Door } from './react.js';

const wallet = new URLSearchParams(location.search).get('wallet');
const client = createPublicClient({ transport: http(location.origin + '/rpc', { retryCount: 0 }) });
createRoot(document.getElementById('root')).render(createElement(Door, { client, wallet }));
`;

const state = openStateFolder();
let chain: OwnChain;
let browser: Browser;

beforeAll(async () => {
  [chain, browser] = await Promise.all([startOwnChain([PARTNERS[0]?.gatekeeperNetwork ?? '']), startChromium()]);
});
afterAll(async () => {
  await browser?.close();
  await chain?.stop();
  state.close();
});

/** Compiles the example with its types, and returns the script of a page with it. */
async function bundleExample(): Promise<string> {
  unpackPackage('@gatepass/react', join(state.folder, 'node_modules/@gatepass/react'));
  linkPackages(state.folder, ['react', 'react-dom', '@types/react', 'csstype', 'viem']);
  const examples = join(state.folder, 'examples');
  mkdirSync(examples);
  writeFileSync(join(examples, 'react.tsx'), guideBlock('tsx', 'React'));
  writeFileSync(join(examples, 'page.js'), PAGE);
  const options = ['--strict', '--noUncheckedIndexedAccess', '--skipLibCheck', '--jsx', 'react-jsx'];
  const modules = ['--target', 'es2022', '--module', 'esnext', '--moduleResolution', 'bundler'];
  await compile(examples, [...options, ...modules, 'react.tsx']);
  const { outputFiles } = buildSync({
    entryPoints: [join(examples, 'page.js')],
    bundle: true,
    write: false,
    format: 'esm',
    // Links lead to the project's folder, which has the dependencies of the linked packages.
    nodePaths: [join(PROJECT, 'node_modules')],
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  return outputFiles[0]?.text ?? '';
}

/** Lets the page look again until it shows the text. */
async function expectToShow({ tab }: ExamplePage, text: string): Promise<void> {
  await eventually(async () => {
    await tab.clock.runFor(5_000);
    expect(await tab.locator('p').allInnerTexts()).toEqual([text]);
  });
}

it('the page admits a wallet exactly while its pass is valid, and refuses it without an answer', async () => {
  const wallet = freshWallet('sepolia') as string as Address;
  const page = await openExamplePage(browser, await bundleExample(), chain.url, { wallet });
  await expectToShow(page, 'You need a pass: none');
  await chain.mint(wallet, 1n);
  await expectToShow(page, 'You are inside.');
  await chain.change('freeze', wallet, 1n);
  await expectToShow(page, 'You need a pass: frozen');
  await chain.change('unfreeze', wallet, 1n);
  await expectToShow(page, 'You are inside.');
  page.setReachable(false);
  await expectToShow(page, 'You need a pass: no-answer');
  page.setReachable(true);
  await expectToShow(page, 'You are inside.');
  await chain.change('revoke', wallet, 1n);
  await expectToShow(page, 'You need a pass: revoked');
});
