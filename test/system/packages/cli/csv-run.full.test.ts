import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { chainOf } from '../../../../tools/localnet/partner/chain-of.ts';
import { freshWallet } from '../../../../tools/localnet/partner/fresh-wallet.ts';
import { LocalnetPartner } from '../../../../tools/localnet/partner/localnet-partner.ts';
import { LONG } from '../../../form.ts';
import { randomFrom } from '../../faults/random.ts';
import { readInventory } from '../../faults/read-inventory.ts';
import { gatepass, killAfter, settingsOf, spawnGatepass } from './gatepass-command.ts';

/** Runs over CSV files with the real service and the local nodes. */

const facts = inject('gatepass');
const settings = settingsOf(facts);
const acme = new LocalnetPartner(facts, 'acme');
const folder = mkdtempSync(join(tmpdir(), 'gatepass-csv-'));
afterAll(() => rmSync(folder, { recursive: true }));

const random = randomFrom(87);
const COUNT = LONG ? 10_000 : 300;
const KILLS = LONG ? 10 : 4;
const KILL_MAX_MS = LONG ? 20_000 : 1_500;
const NETWORKS = ['sepolia', 'devnet'];
const SCAN = 'chain,network,walletAddress,state,expiryTimestamp,issuedBy,token,block';

let files = 0;
function write(lines: readonly string[]): string {
  files += 1;
  const file = join(folder, `${files}.csv`);
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
}
const resultsOf = (file: string, verb = 'issue'): Record<string, string>[] =>
  parse(readFileSync(file.replace(/\.csv$/, `.${verb}.results.csv`)), { columns: true });

it(`issues ${COUNT} passes on two chains, each once, although the command is killed ${KILLS} times`, {
  timeout: LONG ? 1_800_000 : 300_000,
}, async () => {
  const wallets = Array.from({ length: COUNT }, (_, index) => {
    const network = NETWORKS[index % 2] ?? '';
    return { network, wallet: freshWallet(network) };
  });
  const file = write(['walletAddress,network', ...wallets.map(({ network, wallet }) => `${wallet},${network}`)]);
  let kills = 0;
  while (
    kills < KILLS &&
    (await killAfter(400 + random.below(KILL_MAX_MS), ['issue', '--csv', file], settings)) === null
  )
    kills += 1;
  const last = await spawnGatepass(['issue', '--csv', file], settings);
  expect(last, last.stderr).toMatchObject({ code: 0 });
  expect(last.stdout).toBe(`settled: ${COUNT}\nfailed: 0\nresults: ${file.replace('.csv', '.issue.results.csv')}\n`);

  const results = resultsOf(file);
  expect(results.map(({ walletAddress }) => walletAddress).toSorted()).toEqual(
    wallets.map(({ wallet }) => wallet).toSorted(),
  );
  expect(results.every(({ outcome, transaction }) => outcome === 'settled' && transaction !== '')).toBe(true);
  for (const network of NETWORKS) {
    const inventory = await readInventory(facts, network);
    for (const { wallet } of wallets.filter((each) => each.network === network)) {
      expect(await inventory.countTokens(wallet, acme.gatekeeperNetwork), wallet).toBe(1);
      expect((await inventory.transactionsAbout(wallet, acme.gatekeeperNetwork)).mints, wallet).toHaveLength(1);
    }
  }
});

describe('the file of a scan', () => {
  it('gives exactly the wallets with a valid token a pass, until the end of the longest-living one', async () => {
    const line = (network: string, wallet: string, state: string, expiry: number | '' = '') =>
      [chainOf(network), network, wallet, state, expiry, '0x00', '7', '12'].join();
    const [active, several, frozen, revoked, expired] = Array.from({ length: 5 }, () => freshWallet('sepolia'));
    const onSolana = freshWallet('devnet');
    const file = write([
      SCAN,
      line('sepolia', String(active), 'ACTIVE', 4_000_000_000),
      line('sepolia', String(several), 'ACTIVE', 3_900_000_000),
      line('sepolia', String(several), 'FROZEN'),
      line('sepolia', String(several).toLowerCase(), 'ACTIVE', 4_100_000_000),
      line('sepolia', String(frozen), 'FROZEN'),
      line('sepolia', String(revoked), 'REVOKED'),
      line('sepolia', String(expired), 'ACTIVE', 1_600_000_000),
      line('devnet', onSolana, 'ACTIVE'),
    ]);
    const skipped = [
      'skipped, FROZEN: 2',
      'skipped, further rows of a wallet: 1',
      'skipped, REVOKED: 1',
      'skipped, expired: 1',
    ];

    const dry = await gatepass(['issue', '--csv', file, '--dry-run'], settings);
    expect(dry).toMatchObject({ code: 0, stderr: 'ignores the columns issuedBy, token, block\n' });
    expect(dry.stdout.trim().split('\n')).toEqual(['to send, sepolia: 2', 'to send, devnet: 1', ...skipped]);
    await expect(acme.fetch('ethereum/sepolia', String(active))).rejects.toThrow('404');

    const ran = await gatepass(['issue', '--csv', file], settings);
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    for (const text of skipped) expect(ran.stdout).toContain(text);
    const expiryOf = async (on: string, wallet: string | undefined) => {
      const { state, expiryTimestamp } = await acme.fetch(on, String(wallet));
      return [state, expiryTimestamp];
    };
    expect(await expiryOf('ethereum/sepolia', active)).toEqual(['ACTIVE', 4_000_000_000]);
    expect(await expiryOf('ethereum/sepolia', several)).toEqual(['ACTIVE', 4_100_000_000]);
    expect(await expiryOf('solana/devnet', onSolana)).toEqual(['ACTIVE', undefined]);
    for (const wallet of [frozen, revoked, expired])
      await expect(acme.fetch('ethereum/sepolia', String(wallet))).rejects.toThrow('404');
  });
});

describe('the life of the passes of a file', () => {
  it('follows each verb to the end, and a repeated run sends nothing', async () => {
    const wallets = NETWORKS.flatMap((network) => [network, network].map((each) => `${freshWallet(each)},${each}`));
    const file = write(['walletAddress,network', ...wallets]);
    const verbs: [string, ...string[]][] = [
      ['issue', '--no-wait'],
      ['freeze'],
      ['unfreeze'],
      ['set-expiry', '--expires', '2090-01-01'],
      ['revoke', '--yes'],
    ];
    for (const [verb, ...options] of verbs) {
      const ran = await spawnGatepass([verb, '--csv', file, ...options], settings);
      expect(ran, `${verb}: ${ran.stderr}`).toMatchObject({ code: 0 });
      expect(ran.stdout).toContain(verb === 'issue' ? 'accepted: 4\n' : 'settled: 4\nfailed: 0\n');
    }
    expect(resultsOf(file, 'set-expiry').map(({ expiryTimestamp }) => expiryTimestamp)).toEqual(
      Array(4).fill('3786912000'),
    );
    const again = await gatepass(['revoke', '--csv', file, '--yes'], settings);
    expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining('nothing to send') });
    // The passes are revoked by now, so the next run fails for each of them, and says why.
    const failed = await gatepass(['issue', '--csv', file, '--restart'], settings);
    expect(failed).toMatchObject({ code: 1, stdout: expect.stringContaining('failed: 4\n  pass_revoked: 4\n') });
  });

  it('needs a confirmation for revocations, and sends nothing without one', async () => {
    const file = write(['walletAddress,network', `${freshWallet('sepolia')},sepolia`]);
    const ran = await gatepass(['revoke', '--csv', file], settings);
    expect(ran).toEqual({ code: 2, stdout: '', stderr: 'there is no terminal to confirm the revocation: add --yes\n' });
  });
});

describe('a faulty file', () => {
  it('is refused with each fault, unless --skip-invalid leaves the rows out', async () => {
    const wallet = freshWallet('sepolia');
    const file = write(['walletAddress,network', `${wallet},sepolia`, '0x12,sepolia']);
    const refused = await gatepass(['issue', '--csv', file], settings);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain(`${file}:3: column 1 (walletAddress), "0x12": must be 0x and 40 hex digits`);
    await expect(acme.fetch('ethereum/sepolia', wallet)).rejects.toThrow('404');
    const ran = await gatepass(['issue', '--csv', file, '--skip-invalid'], settings);
    expect(ran).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('settled: 1\nfailed: 0\nskipped, invalid: 1\n'),
    });
  });
});
