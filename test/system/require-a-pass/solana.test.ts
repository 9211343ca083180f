import { type Address, address, createSolanaRpc } from '@solana/kit';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { freshWallet } from '../../../localnet/partner/fresh-wallet.ts';
import { LocalnetPartner } from '../../../localnet/partner/localnet-partner.ts';
import { LIFE_STAGES, runStage } from '../../../localnet/partner/pass-life.ts';
import { openStateFolder } from '../../../localnet/state/state-folder.ts';
import { tokenAddresses } from '../../../src/chain/solana/gateway.ts';
import { eventually } from '../../eventually.ts';
import { guideBlock } from '../../unit/documents/pass-guide.ts';
import { keysIn, passCheckOf } from '../../unit/documents/rust-conditions.ts';
import { startRecordingProxy } from '../ops/recording-proxy.ts';
import { compileExamples } from './guide-code.ts';

/** The examples of the guide "Require a pass" for Solana, with the pass of one wallet. */

interface Examples {
  readonly solana: { findPass(wallet: string): Promise<string | undefined> };
}

const facts = inject('gatepass');
const partner = new LocalnetPartner(facts, 'acme');
const state = openStateFolder();
afterAll(() => state.close());

let load: Awaited<ReturnType<typeof compileExamples<Examples>>>;
beforeAll(async () => {
  load = await compileExamples<Examples>(state.folder, { solana: 'Solana client' });
});

const rust = guideBlock('rust', 'pass\\.rs');
const check = passCheckOf(rust);
const { GATEWAY_PROGRAM = '', GATEKEEPER_NETWORK = '' } = keysIn(rust);
const [program, gatekeeperNetwork] = [address(GATEWAY_PROGRAM), address(GATEKEEPER_NETWORK)];
const addressOf = (wallet: string) =>
  tokenAddresses(program, wallet as Address, gatekeeperNetwork, [0])[0]?.address as Address;

/** Whether the Rust condition admits the wallet with the account that the node has now. */
async function rustAdmits(wallet: string): Promise<boolean> {
  const rpc = createSolanaRpc(facts.rpc.devnet ?? '');
  const config = { encoding: 'base64', commitment: 'confirmed' } as const;
  const { value } = await rpc.getAccountInfo(addressOf(wallet), config).send();
  const data = new Uint8Array(Buffer.from(value?.data[0] ?? '', 'base64'));
  const owner = value?.owner ?? '11111111111111111111111111111111';
  return check({ owner, data }, wallet, BigInt(Math.floor(Date.now() / 1000)));
}

it('client and condition of the program admit a wallet exactly while its pass is valid', async () => {
  const node = await startRecordingProxy(facts.rpc.devnet ?? '');
  const { solana } = await load({ SOLANA_RPC_URL: node.url });
  const wallet = freshWallet('devnet');
  const expectAll = (isAdmitted: boolean) =>
    eventually(async () => {
      const found = await solana.findPass(wallet);
      expect([found, await rustAdmits(wallet)]).toEqual([isAdmitted ? addressOf(wallet) : undefined, isAdmitted]);
    });
  await expectAll(false);
  for (const stage of LIFE_STAGES) {
    await runStage(stage, partner, 'devnet', wallet);
    await expectAll(stage.accepted);
  }
  const asked = node.requests.length;
  await solana.findPass(wallet);
  expect(node.requests.slice(asked)).toMatchObject([[{ method: 'getMultipleAccounts' }]]);
  node.stop();
});

it('without an answer, the client fails instead of admitting the wallet', async () => {
  const { solana } = await load({ SOLANA_RPC_URL: 'http://127.0.0.1:9' });
  await expect(solana.findPass(freshWallet('devnet'))).rejects.toThrow(/fetch failed/);
});
