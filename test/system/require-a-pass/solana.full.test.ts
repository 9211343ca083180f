import { type Address, address } from '@solana/kit';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { tokenAddresses } from '../../../src/chain/solana/gateway.ts';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import { LocalnetPartner } from '../../../tools/localnet/partner/localnet-partner.ts';
import { LIFE_STAGES, runStage } from '../../../tools/localnet/partner/pass-life.ts';
import { openStateFolder } from '../../../tools/localnet/state/state-folder.ts';
import { eventually } from '../../eventually.ts';
import { guideKey } from '../../unit/documents/pass-guide.ts';
import { startRecordingProxy } from '../ops/recording-proxy.ts';
import { ScriptedProxy } from '../scripted-proxy.ts';
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

const [program, gatekeeperNetwork] = [address(guideKey('GATEWAY_PROGRAM')), address(guideKey('GATEKEEPER_NETWORK'))];
const addressOf = (wallet: string, index = 0) =>
  tokenAddresses(program, wallet as Address, gatekeeperNetwork, [index])[0]?.address as Address;

/** An account in the answer of a node. */
interface NodeAccount {
  owner: string;
  data: [content: string, encoding: string];
}

it('the client admits a wallet exactly while its pass is valid', async () => {
  const node = await startRecordingProxy(facts.rpc.devnet ?? '');
  const { solana } = await load({ SOLANA_RPC_URL: node.url });
  const wallet = freshWallet('devnet');
  const expectAdmitted = (isAdmitted: boolean) =>
    eventually(async () => {
      expect(await solana.findPass(wallet)).toBe(isAdmitted ? addressOf(wallet) : undefined);
    });
  await expectAdmitted(false);
  for (const stage of LIFE_STAGES) {
    await runStage(stage, partner, 'devnet', wallet);
    await expectAdmitted(stage.accepted);
  }
  const asked = node.requests.length;
  await solana.findPass(wallet);
  expect(node.requests.slice(asked)).toMatchObject([[{ method: 'getMultipleAccounts' }]]);
  node.stop();
});

describe('the client', () => {
  const proxy = new ScriptedProxy(facts.rpc.devnet ?? '');
  const wallet = freshWallet('devnet');
  let solana: Examples['solana'];

  beforeAll(async () => {
    await partner.issue('devnet', wallet, { expiryTimestamp: 2_208_988_800 });
    await partner.untilSettled('devnet', wallet);
    ({ solana } = await load({ SOLANA_RPC_URL: await proxy.start() }));
  });
  afterAll(() => proxy.stop());

  /** Returns what the client finds if the node shows the accounts of the wallet with this change. */
  function findWith(change: (accounts: (NodeAccount | null)[]) => void): Promise<string | undefined> {
    proxy.alterBody = (body) => {
      const answer = JSON.parse(body);
      change(answer.result.value);
      return JSON.stringify(answer);
    };
    return solana.findPass(wallet);
  }
  const findWithBytes = (at: number, bytes: (before: Buffer) => Uint8Array) =>
    findWith(([account]) => {
      if (!account) throw new Error('the wallet has no gateway token');
      const data = Buffer.from(account.data[0], 'base64');
      data.set(bytes(data.subarray(at)), at);
      account.data[0] = data.toString('base64');
    });

  it('refuses a gateway token with any other byte, except in the gatekeeper that issued it and in the expiry', async () => {
    expect(await findWith(() => undefined)).toBe(addressOf(wallet));
    for (let at = 0; at < 101; at += 1) {
      const found = await findWithBytes(at, (before) => Uint8Array.of((before[0] ?? 0) ^ 0xff));
      expect([at, found]).toEqual([at, at >= 67 && at < 99 ? addressOf(wallet) : undefined]);
    }
    for (const state of [1, 2, 3]) expect(await findWithBytes(99, () => Uint8Array.of(state))).toBeUndefined();
  });

  it('refuses an expired gateway token, a short account, and an account of another program', async () => {
    expect(await findWithBytes(101, () => Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 0))).toBeUndefined();
    expect(await findWithBytes(100, () => Uint8Array.of(0))).toBe(addressOf(wallet));
    for (const length of [0, 100, 105])
      expect(
        await findWith(([account]) => {
          if (account) account.data[0] = Buffer.from(account.data[0], 'base64').subarray(0, length).toString('base64');
        }),
      ).toBeUndefined();
    expect(
      await findWith(([account]) => {
        if (account) account.owner = '11111111111111111111111111111111';
      }),
    ).toBeUndefined();
  });

  it('finds a gateway token at each of the five addresses', async () => {
    for (let index = 0; index < 5; index += 1) {
      const found = await findWith((accounts) => {
        [accounts[0], accounts[index]] = [accounts[index] ?? null, accounts[0] ?? null];
      });
      expect(found).toBe(addressOf(wallet, index));
    }
  });
});

it('without an answer, the client fails instead of admitting the wallet', async () => {
  const { solana } = await load({ SOLANA_RPC_URL: 'http://127.0.0.1:9' });
  await expect(solana.findPass(freshWallet('devnet'))).rejects.toThrow(/fetch failed/);
});
