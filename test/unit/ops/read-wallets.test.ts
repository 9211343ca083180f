import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { listsIn } from '../../../ops/revoke/read-wallets.ts';

/** The files of `npm run revoke`. */

const folder = mkdtempSync(join(tmpdir(), 'gatepass-wallets-'));
afterAll(() => rmSync(folder, { recursive: true }));

const HEADER = 'chain,network,walletAddress,state,issuedBy';
const KEY = '0xAbC0000000000000000000000000000000000001';

function fileOf(...lines: readonly string[]): string {
  const file = join(folder, `${crypto.randomUUID()}.csv`);
  writeFileSync(file, lines.join('\n'));
  return file;
}
const walletsOf = (lists: ReturnType<typeof listsIn>) => lists.map((list) => list.map((each) => each.walletAddress));
const row = (wallet: string, state = 'ACTIVE', issuedBy = KEY) => `ethereum,sepolia,${wallet},${state},${issuedBy}`;

describe('the wallets of a file', () => {
  it('have their names, and the gatekeeper network of the command', () => {
    expect(listsIn(fileOf('walletAddress,note,chain,network', '0x1,mine,ethereum,sepolia'), 'acme')).toEqual([
      [{ gatekeeperNetwork: 'acme', chain: 'ethereum', network: 'sepolia', walletAddress: '0x1' }],
    ]);
  });

  it('come once per network, without those of revoked tokens', () => {
    const rows = [row('0x1'), row('0x1'), 'ethereum,mainnet,0x1,ACTIVE,', row('0x2', 'REVOKED'), row('0x3', 'FROZEN')];
    expect(walletsOf(listsIn(fileOf(HEADER, ...rows), 'acme'))).toEqual([['0x1', '0x1', '0x3']]);
  });

  it('are those of the wanted keys, in whatever case on Ethereum and in the same case on Solana', () => {
    const rows = [row('0x1'), row('0x2', 'ACTIVE', 'solKey'), row('0x3', 'ACTIVE', 'solkey'), row('0x4', 'ACTIVE', '')];
    expect(walletsOf(listsIn(fileOf(HEADER, ...rows), 'acme', [KEY.toLowerCase(), 'solKey']))).toEqual([
      ['0x1', '0x2'],
    ]);
  });

  it('come in lists of at most 200', () => {
    const rows = Array.from({ length: 401 }, (_, number) => row(`0x${number}`));
    expect(listsIn(fileOf(HEADER, ...rows), 'acme').map(({ length }) => length)).toEqual([200, 200, 1]);
  });

  it.each([
    ['a byte order mark, other line ends, and empty lines', `\uFEFF${HEADER}\r\n\r\n${row('0x1')}\r\n`],
    ['quotes and spaces', `"chain", network,"walletAddress"\n"ethereum",sepolia, "0x1"\n`],
    ['a quoted text with a comma', `note,chain,network,walletAddress\n"a, b",ethereum,sepolia,0x1\n`],
  ])('are read from a file with %s', (_, text) => {
    expect(walletsOf(listsIn(fileOf(text), 'acme'))).toEqual([['0x1']]);
  });

  it.each([
    [
      'no column',
      ['chain;network;walletAddress', 'ethereum;sepolia;0x1'],
      /has no column chain, network, walletAddress/,
    ],
    ['a row with too few values', [HEADER, 'ethereum,sepolia'], /line 2/],
    ['no wallet', [HEADER], /names no wallet/],
    ['only revoked tokens', [HEADER, row('0x1', 'REVOKED')], /names no wallet/],
    ['no text', [], /has no column/],
  ])('refuses a file with %s', (_, lines, message) => {
    expect(() => listsIn(fileOf(...lines), 'acme')).toThrow(message);
  });
});
