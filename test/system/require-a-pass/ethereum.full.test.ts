import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import { LocalnetPartner } from '../../../tools/localnet/partner/localnet-partner.ts';
import { LIFE_STAGES, runStage } from '../../../tools/localnet/partner/pass-life.ts';
import { openStateFolder } from '../../../tools/localnet/state/state-folder.ts';
import { eventually } from '../../eventually.ts';
import { guideBlock } from '../../unit/documents/pass-guide.ts';
import { startRecordingProxy } from '../ops/recording-proxy.ts';
import { settingsOf } from '../packages/cli/gatepass-command.ts';
import { runProgram } from '../run-program.ts';
import { compileExamples } from './guide-code.ts';

/** The examples of the guide "Require a pass" for Ethereum-type networks, with the pass of one wallet. */

interface Examples {
  readonly viem: { hasPass(wallet: string): Promise<boolean> };
  readonly verify: { hasPass(wallet: string): Promise<boolean> };
}

const facts = inject('gatepass');
const partner = new LocalnetPartner(facts, 'acme');
const { GATEPASS_URL } = settingsOf(facts);
const state = openStateFolder();
afterAll(() => state.close());

let load: Awaited<ReturnType<typeof compileExamples<Examples>>>;
beforeAll(async () => {
  load = await compileExamples<Examples>(state.folder, { viem: 'viem', verify: 'TypeScript' });
});

const python = join(state.folder, 'verify.py');
const end = '\n\nfrom sys import argv\nprint(has_pass(argv[1]))\n';
writeFileSync(python, guideBlock('python', 'Python') + end);
const runPython = (wallet: string, url = GATEPASS_URL) =>
  runProgram(['python3', '-B', python, wallet], { GATEPASS_URL: url });

it('viem and /verify admit a wallet exactly while its pass is valid', async () => {
  const node = await startRecordingProxy(facts.rpc.sepolia ?? '');
  const { viem, verify } = await load({ ETHEREUM_RPC_URL: node.url, GATEPASS_URL });
  const wallet = freshWallet('sepolia');
  const expectAll = async (isAdmitted: boolean) => {
    await eventually(async () => {
      const answers = [await viem.hasPass(wallet), await verify.hasPass(wallet)];
      expect(answers).toEqual([isAdmitted, isAdmitted]);
    });
    const printed = `${isAdmitted ? 'True' : 'False'}\n`;
    expect(await runPython(wallet)).toEqual({ code: 0, stdout: printed, stderr: '' });
  };
  await expectAll(false);
  for (const stage of LIFE_STAGES) {
    await runStage(stage, partner, 'sepolia', wallet);
    await expectAll(stage.accepted);
  }
  const asked = node.requests.length;
  await viem.hasPass(wallet);
  expect(node.requests.slice(asked)).toMatchObject([[{ method: 'eth_call' }]]);
  node.stop();
});

it('without an answer, each example fails instead of admitting the wallet', async () => {
  const nowhere = 'http://127.0.0.1:9';
  const { viem, verify } = await load({ ETHEREUM_RPC_URL: nowhere, GATEPASS_URL: nowhere });
  const wallet = freshWallet('sepolia');
  await expect(viem.hasPass(wallet)).rejects.toThrow(/fetch failed/);
  await expect(verify.hasPass(wallet)).rejects.toThrow();
  expect(await runPython(wallet, nowhere)).toMatchObject({ code: 1, stdout: '' });
});
