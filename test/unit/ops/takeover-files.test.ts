import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  type Checkpoint,
  readCheckpoint,
  removeCheckpoint,
  writeCheckpoint,
} from '../../../ops/takeover/checkpoint.ts';
import { type Progress, SCAN_PROGRESS } from '../../../ops/takeover/progress.ts';
import { demandNewFile, openRows } from '../../../ops/takeover/row-file.ts';
import { countRows, summaryOf } from '../../../ops/takeover/summary.ts';
import { formatTokens, HEADER, readRows } from '../../../ops/takeover/token-rows.ts';
import type { ScannedToken } from '../../../ops/tokens/token.ts';
import { reportAsLines } from '../../../packages/cli/src/progress-report.ts';
import type { Network } from '../../../src/network/network.ts';
import { findNetwork, NETWORKS } from '../../../src/network/networks.ts';

/** The files, the progress and the summary of `npm run takeover -- scan`. */

const folder = mkdtempSync(join(tmpdir(), 'gatepass-takeover-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const newFile = () => join(folder, `${++files}.csv`);

const sepolia = findNetwork(NETWORKS, 'ethereum', 'sepolia') as Network;
const aToken = (changes: Partial<ScannedToken> = {}): ScannedToken => ({
  network: sepolia,
  wallet: '0x00000000000000000000000000000000000000AA',
  state: 'ACTIVE',
  expiry: undefined,
  issuer: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  token: '1',
  block: 7,
  ...changes,
});
const aCheckpoint = (changes: Partial<Checkpoint> = {}): Checkpoint => ({
  options: '--network sepolia',
  length: 0,
  networks: 0,
  notes: {},
  ...changes,
});

describe('a checkpoint', () => {
  it('is what was written, until it is removed', async () => {
    const file = newFile();
    expect(await readCheckpoint(file, '')).toBeUndefined();
    const checkpoint = aCheckpoint({ length: 12, position: { next: 5 }, notes: { sepolia: { issuedUpTo: 9 } } });
    await writeCheckpoint(file, checkpoint);
    expect(await readCheckpoint(file, checkpoint.options)).toEqual(checkpoint);
    await removeCheckpoint(file);
    expect(await readCheckpoint(file, '')).toBeUndefined();
  });

  it('with other options ends the scan', async () => {
    const file = newFile();
    await writeCheckpoint(file, aCheckpoint());
    await expect(readCheckpoint(file, '--network mainnet')).rejects.toThrow(
      expect.objectContaining({
        exitCode: 2,
        message: expect.stringMatching(/with other options: --network sepolia\./),
      }),
    );
  });

  it.each(['', '{', '{"options":""}', '[]', '{"options":"","length":-1,"networks":0,"notes":{}}'])(
    'that is damaged (%s) ends the scan',
    async (text) => {
      const file = newFile();
      writeFileSync(`${file}.checkpoint`, text);
      await expect(readCheckpoint(file, '')).rejects.toThrow(/is not a checkpoint: delete it/);
    },
  );
});

describe('the file of a scan', () => {
  it('must be new and in a folder that exists', async () => {
    const file = newFile();
    await demandNewFile(file);
    writeFileSync(file, '');
    await expect(demandNewFile(file)).rejects.toThrow(`${file} exists: name a new file with --out`);
    await expect(demandNewFile(join(folder, 'none', 'x.csv'))).rejects.toThrow(/cannot be written \(ENOENT\)/);
  });

  it('is cut to the length of its checkpoint', async () => {
    const file = newFile();
    writeFileSync(file, 'first\nhalf a li');
    const rows = await openRows(file, 6);
    await rows.append('second\n');
    expect(await rows.sync()).toBe(13);
    await rows.close();
    expect(readFileSync(file, 'utf8')).toBe('first\nsecond\n');
  });

  it('must not be shorter than its checkpoint says', async () => {
    const file = newFile();
    await expect(openRows(file, 6)).rejects.toThrow(/is shorter than its checkpoint says/);
    expect(existsSync(file)).toBe(false);
  });

  it('has a header and a row per token, which a later command reads', async () => {
    const file = newFile();
    const tokens = [aToken(), aToken({ state: 'FROZEN', expiry: 1_900_000_000, token: '2' })];
    writeFileSync(file, HEADER + formatTokens(tokens));
    expect(readFileSync(file, 'utf8').split('\n').slice(0, 2)).toEqual([
      'chain,network,walletAddress,state,expiryTimestamp,issuedBy,token,block',
      'ethereum,sepolia,0x00000000000000000000000000000000000000AA,ACTIVE,,0x70997970C51812dc3A010C7d01b50e0d17dc79C8,1,7',
    ]);
    const rows = [];
    for await (const row of readRows(file)) rows.push(row);
    expect(rows[1]).toMatchObject({ network: 'sepolia', state: 'FROZEN', expiryTimestamp: '1900000000', token: '2' });
  });

  it.each(['a,b\n', `${HEADER}1,2,3\n`])('with other content (%j) is refused', async (text) => {
    const file = newFile();
    writeFileSync(file, text);
    await expect(readRows(file).next()).rejects.toThrow(/is not the file of a scan/);
  });
});

describe('the summary', () => {
  async function linesOf(tokens: readonly ScannedToken[], missing?: string) {
    const file = newFile();
    writeFileSync(file, HEADER + formatTokens(tokens));
    const counts = await countRows(readRows(file), 1_700_000_000);
    return summaryOf('sepolia', counts.get('sepolia'), { issuedUpTo: 1_234, missing });
  }

  it('counts tokens per state and gatekeeper, expired ones, and several of one wallet', async () => {
    const expiries = [undefined, 1_699_999_999, 1_700_000_001] as const;
    const tokens = Array.from({ length: 3_000 }, (_, id) =>
      aToken({
        token: String(id),
        wallet: `wallet ${id < 2_990 ? id : id % 5}`,
        state: id % 3 === 0 ? 'REVOKED' : 'ACTIVE',
        expiry: expiries[id % 3],
        issuer: id < 10 ? 'a' : 'b',
        block: 1_234 + (id % 2),
      }),
    );
    expect(await linesOf(tokens)).toEqual([
      'sepolia: 3,000 tokens, all that were issued up to block 1,234',
      '  read at blocks 1,234 to 1,235',
      '  states: 2,000 ACTIVE, 1,000 REVOKED',
      '  expired: 1,000',
      '  issued by b: 2,990',
      '  issued by a: 10',
      '  wallets with several tokens: 5, with 15 tokens',
    ]);
  });

  it('says that a scan is empty or lacks tokens', async () => {
    expect(await linesOf([], 'tokens of gatekeepers other than a')).toEqual([
      'sepolia: 0 tokens, issued up to block 1,234',
      '  INCOMPLETE: the scan lacks tokens of gatekeepers other than a',
    ]);
  });
});

describe('the progress without a terminal', () => {
  it('is a line every few seconds, with the rate and the remaining time of this run', () => {
    const lines: string[] = [];
    let now = 0;
    const progress = reportAsLines(
      SCAN_PROGRESS,
      (line) => lines.push(line),
      () => now,
    );
    const at = (ms: number, changes: Partial<Progress>) => {
      now = ms;
      progress.update({ network: 'sepolia', done: 0, total: 1_000, tokens: 0, ...changes });
    };
    at(0, { done: 500, tokens: 100 });
    at(1_000, { done: 510, tokens: 150 });
    at(10_000, { done: 600, tokens: 600 });
    at(11_000, { done: 610, tokens: 650 });
    at(20_000, { done: 501, tokens: 700 });
    expect(lines).toEqual([
      'sepolia: 60 %, 600 tokens, 50 per second, 40 s left',
      'sepolia: 50 %, 700 tokens, 30 per second, 2 h 46 min left',
    ]);
  });
});
