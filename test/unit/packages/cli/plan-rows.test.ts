import { execFile } from 'node:child_process';
import { createWriteStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { base58 } from '@scure/base';
import { stringify } from 'csv-stringify/sync';
import { getAddress } from 'viem';
import { afterAll, describe, expect, it } from 'vitest';
import type { GivenValues } from '../../../../packages/cli/src/csv/columns.ts';
import { planRows } from '../../../../packages/cli/src/csv/plan-rows.ts';
import { cellOf } from '../../../../packages/cli/src/csv/spreadsheet-cell.ts';
import { VERBS, type Verb } from '../../../../packages/cli/src/csv/verb.ts';
import { LONG } from '../../../form.ts';
import { READABLE, REPEATED, utf16, WALLETS } from './csv-files.ts';

/** The check of a CSV file before anything is sent. */

const folder = mkdtempSync(join(tmpdir(), 'gatepass-plan-'));
afterAll(() => rmSync(folder, { recursive: true }));

const NOW = 1_800_000_000;
const LATER = NOW + 1_000;
const ETHEREUM = '0x52908400098527886E0F7030069857D2E4169EE7';
const SOLANA = '7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV';
let files = 0;

function plan(text: string | Uint8Array, verb: Verb = 'issue', given: GivenValues = {}) {
  files += 1;
  const file = join(folder, `${files}.csv`);
  writeFileSync(file, text);
  return planRows(file, verb, given, async () => NOW);
}
const faultsOf = ({ faults }: Awaited<ReturnType<typeof plan>>) => faults.map((fault) => fault.replace(/^[^:]*:/, ''));

describe('the references of a file', () => {
  const rows = (...cells: readonly string[]) =>
    ['network,walletAddress,reference', ...cells.map((cell) => `sepolia,${ETHEREUM},${cell}`)].join('\n');
  const NAME = `sepolia/${ETHEREUM}`;

  it('are read by issue and set-reference, and ignored by the other commands', async () => {
    for (const verb of VERBS) {
      const { names, ignoredColumns, faultCount } = await plan(rows('order-4711'), verb, {
        expiryTimestamp: LATER,
        subject: 'p-1',
      });
      const reads = verb === 'issue' || verb === 'set-reference';
      expect([faultCount, [...names.reference]]).toEqual([0, reads ? [[NAME, 'order-4711']] : []]);
      expect(ignoredColumns).toEqual(reads ? [] : ['reference']);
    }
  });

  it('may be empty for issue, and not for set-reference', async () => {
    expect([...(await plan(rows(''))).names.reference]).toEqual([]);
    expect(faultsOf(await plan(rows(''), 'set-reference'))[0]).toContain('column 3 (reference): is empty');
    await expect(plan(`network,walletAddress\nsepolia,${ETHEREUM}`, 'set-reference')).rejects.toThrow(
      'reference is missing',
    );
  });

  it('come from the command line instead, also their removal', async () => {
    for (const reference of ['order-1', null])
      expect([...(await plan(rows('ignored'), 'set-reference', { reference })).names.reference]).toEqual([
        [NAME, reference],
      ]);
  });

  it('are unescaped, so that each one that search writes is read again', async () => {
    for (const reference of ['=1+1', "'=1", "''@x", "'", "it's", '-5', '+', '=', '00123', '1E5', "'7", '1.23E+19']) {
      const cell = stringify([[reference]], { cast: { string: cellOf }, quoted: true, eof: false });
      expect((await plan(rows(cell))).names.reference.get(NAME), reference).toBe(reference);
    }
  });

  it.each(['issue', 'set-reference'] as const)('of %s are refused if a spreadsheet has made them', async (verb) => {
    const planned = await plan(rows('order-1', '1.23E+19', '#REF!'), verb);
    expect(faultsOf(planned)).toEqual([
      expect.stringMatching(/^3: column 3 \(reference\), "1\.23E\+19": is a number that a spreadsheet has shortened/),
      expect.stringMatching(/^4: column 3 \(reference\), "#REF!": is an error of a spreadsheet/),
    ]);
    expect((await plan(rows("'1.23E+19"), verb)).names.reference.get(NAME)).toBe('1.23E+19');
  });

  it.each(['issue', 'set-reference'] as const)('of %s must be valid, and not differ for one pass', async (verb) => {
    for (const bad of ['x'.repeat(129), 'a\u202eb', '"a\nb"'])
      expect(faultsOf(await plan(rows(bad), verb))[0]).toContain('must have 1 to 128 characters');
    expect(faultsOf(await plan(rows('a', 'b'), verb))).toEqual(['3: line 2 has another reference for this pass']);
    expect((await plan(rows('a', 'a'), verb)).faultCount).toBe(0);
  });
});

describe('the subjects of a file', () => {
  const rows = (...cells: readonly string[]) =>
    ['network,walletAddress,subject,reference', ...cells.map((cell) => `sepolia,${ETHEREUM},${cell}`)].join('\n');
  const NAME = `sepolia/${ETHEREUM}`;
  const subjectIn = async (...planned: Parameters<typeof plan>) => (await plan(...planned)).names.subject.get(NAME);

  it('are read by issue and set-subject, and ignored by the other commands', async () => {
    for (const verb of VERBS) {
      const given = { expiryTimestamp: LATER, reference: 'a' };
      const { names, ignoredColumns } = await plan(rows('p-7f3c,'), verb, given);
      const reads = verb === 'issue' || verb === 'set-subject';
      expect([...names.subject]).toEqual(reads ? [[NAME, 'p-7f3c']] : []);
      expect(ignoredColumns.includes('subject')).toBe(!reads);
    }
  });

  it('come beside the references, also from another row of the pass', async () => {
    const { names, faultCount } = await plan(rows('p-7f3c,', ',order-1', 'p-7f3c,order-1'));
    expect(faultCount).toBe(0);
    expect([names.subject.get(NAME), names.reference.get(NAME)]).toEqual(['p-7f3c', 'order-1']);
  });

  it('come from the command line instead, also their removal', async () => {
    for (const subject of ['p-1', null])
      expect(await subjectIn(rows('ignored,'), 'set-subject', { subject })).toBe(subject);
  });

  it('are unescaped, so that each one that search writes is read again', async () => {
    for (const subject of ['=1', '00123', '1E5', '-5', "'7", '1.23E+19', 'TRUE']) {
      const cell = stringify([[subject]], { cast: { string: cellOf }, quoted: true, eof: false });
      expect(await subjectIn(rows(`${cell},`))).toBe(subject);
    }
  });

  it.each(['issue', 'set-subject'] as const)('of %s must be valid, and not differ for one pass', async (verb) => {
    for (const bad of ['x'.repeat(65), '.', '..', 'a b', 'ä'])
      expect(faultsOf(await plan(rows(`${bad},`), verb))[0]).toContain('must have 1 to 64 visible ASCII characters');
    expect(faultsOf(await plan(rows('1.23E+19,'), verb))[0]).toContain('a number that a spreadsheet has shortened');
    expect(faultsOf(await plan(rows('a,', 'b,'), verb))).toEqual(['3: line 2 has another subject for this pass']);
  });

  it('may be empty for issue, and not for set-subject', async () => {
    expect(await subjectIn(rows(','))).toBeUndefined();
    expect(faultsOf(await plan(rows(','), 'set-subject'))[0]).toContain('column 3 (subject): is empty');
  });
});

describe('a file', () => {
  const expected = new Map([
    [`sepolia/${ETHEREUM}`, LATER],
    [`devnet/${SOLANA}`, undefined],
  ]);
  const lines = [
    'chain,network,walletAddress,expiryTimestamp',
    `ethereum,sepolia,${ETHEREUM},${LATER}`,
    `solana,devnet,${SOLANA},`,
  ];

  it.each([
    ['with LF', lines.join('\n')],
    ['with CRLF and a line break at the end', `${lines.join('\r\n')}\r\n`],
    ['with a byte order mark', `\ufeff${lines.join('\n')}`],
    ['with empty lines', `\n${lines.join('\n\n')}\n\n\n`],
    [
      'with quotes',
      lines
        .map((line) =>
          line
            .split(',')
            .map((cell) => `"${cell}"`)
            .join(),
        )
        .join('\n'),
    ],
    ['with spaces around the fields', lines.join('\n').replaceAll(',', ' , ')],
    ['with a wallet in lower case', lines.join('\n').replace(ETHEREUM, ETHEREUM.toLowerCase())],
  ])('is read %s', async (_, text) => {
    const { passes, faultCount } = await plan(text);
    expect(faultCount).toBe(0);
    expect([...passes]).toEqual([...expected]);
  });

  it('needs no column for which the command line has a value', async () => {
    const { passes } = await plan(`walletAddress\n${ETHEREUM}\n`, 'issue', {
      network: 'baseMainnet',
      expiryTimestamp: LATER,
    });
    expect([...passes]).toEqual([[`baseMainnet/${ETHEREUM}`, LATER]]);
  });

  it('may have other columns, which are ignored and named', async () => {
    const text = `token,walletAddress,network,"a ""note"", long"\n7,${ETHEREUM},sepolia,"x,\ny"\n`;
    const { passes, ignoredColumns, faultCount } = await plan(text);
    expect([passes.size, ignoredColumns, faultCount]).toEqual([1, ['token', 'a "note", long'], 0]);
  });

  it.each([
    ['', 'the file is empty'],
    ['wallet,network\n', '1: the column walletAddress is missing'],
    ['WalletAddress,network\n', '1: the column walletAddress is missing. The file has WalletAddress: rename it'],
    ['walletAddress\n', '1: the column network is missing'],
    [`walletAddress,network\n"${ETHEREUM},sepolia\n`, '2: this is not CSV: a quote is not closed'],
    [
      `walletAddress,network\n"${ETHEREUM},sepolia\n${'x,y\n'.repeat(300_000)}`,
      '\\d+: this is not CSV: a row has more than 1 MiB. Is a quote not closed\\?',
    ],
  ])('is refused with the line of the fault: %j', async (text, fault) => {
    await expect(plan(text)).rejects.toThrow(RegExp(`\\.csv:( |)${fault}`));
  });

  it.each<[string, string, string]>([
    ['a malformed wallet', `0x12,sepolia,`, '2: column 1 (walletAddress), "0x12": must be 0x and 40 hex digits'],
    [
      'a wrong checksum',
      `${ETHEREUM.replace('E', 'e')},sepolia,`,
      `2: column 1 (walletAddress), "${ETHEREUM.replace('E', 'e')}": the checksum is wrong`,
    ],
    [
      'an invisible character in a wallet',
      `${ETHEREUM.slice(0, 9)}\u200b${ETHEREUM.slice(9)},sepolia,`,
      'checksum. Character 10 is U+200B (zero width space)',
    ],
    ['a letter that looks like another', `${ETHEREUM.replace('E', 'Е')},sepolia,`, '"Е" (U+0415)'],
    [
      'a wallet of the other chain',
      `${ETHEREUM},devnet,`,
      `2: column 1 (walletAddress), "${ETHEREUM}": must be base58 of 32 bytes`,
    ],
    [
      'an unknown network',
      `${ETHEREUM},sepola,`,
      '2: column 2 (network): "sepola" is not a network. Did you mean sepolia?',
    ],
    [
      'an expiry that is no number',
      `${ETHEREUM},sepolia,soon`,
      '2: column 3 (expiryTimestamp), "soon": must be Unix seconds',
    ],
    [
      'an expiry in milliseconds',
      `${ETHEREUM},sepolia,1800000000000`,
      '2: column 3 (expiryTimestamp), "1800000000000": must be Unix seconds',
    ],
    [
      'a number that a spreadsheet has shortened',
      `${ETHEREUM},sepolia,1.8E+09`,
      '"1.8E+09": is a number that a spreadsheet',
    ],
    ['an empty wallet', ',sepolia,', '2: column 1 (walletAddress), empty: must be 0x'],
    ['a long cell', `${'x'.repeat(99)},sepolia,`, `column 1 (walletAddress), "${'x'.repeat(80)}…": must be`],
    ['a missing field', `${ETHEREUM},sepolia`, '2: the row has 2 fields, and the header has 3'],
  ])('has each fault reported with line and column: %s', async (_, row, fault) => {
    const planned = await plan(`walletAddress,network,expiryTimestamp\n${row}\n${ETHEREUM},sepolia,\n`);
    expect(faultsOf(planned)).toEqual([expect.stringContaining(fault)]);
    expect(planned.passes.size).toBe(1);
  });

  it('is refused if the network does not belong to the chain', async () => {
    const planned = await plan(`chain,network,walletAddress\nsolana,sepolia,${ETHEREUM}\n`);
    expect(faultsOf(planned)).toEqual(['2: column 1 (chain), "solana": sepolia is a network of ethereum']);
  });

  it('describes 20 faults and counts the others', async () => {
    const { faults, faultCount } = await plan(`walletAddress,network\n${'x,sepolia\n'.repeat(33)}`);
    expect([faults.length, faultCount]).toEqual([20, 33]);
  });
});

describe('a file of a spreadsheet', () => {
  it.each(READABLE)('is read %s', async (_, content, emptyRows) => {
    const { passes, faults, skipped } = await plan(content);
    expect(faults).toEqual([]);
    expect([...passes.keys()]).toEqual(WALLETS.map((wallet) => `sepolia/${wallet}`));
    expect(Object.fromEntries(skipped)).toEqual(emptyRows === 0 ? {} : { 'empty rows': emptyRows });
  });

  it.each(REPEATED)('is refused for every verb if two columns have one name: %s', async (header, one, other) => {
    for (const verb of VERBS) {
      const given = verb === 'set-expiry' && !header.includes('expiry') ? { expiryTimestamp: LATER } : {};
      const refusal = await plan(`${header}\n${',x'.repeat(5)}\n`, verb, given).catch(({ message }) => message);
      expect(refusal, verb).toMatch(
        RegExp(`:1: the columns ${one} and ${other} have the same name, \\S+.*: delete or`),
      );
    }
  });

  it('is read with the right lines, also behind the line sep=', async () => {
    const planned = await plan(`sep=;\r\n;\r\nwalletAddress;network\r\n;\r\n0x12;sepolia\r\n`);
    expect(faultsOf(planned)).toEqual([expect.stringMatching(/^5: column 1 \(walletAddress\), "0x12": must be 0x/)]);
  });

  it.each([
    ['walletAddress^network\n', 'the file was read as UTF-8 with commas'],
    ['wallet;network;note\n', 'the file was read as UTF-8 with semicolons'],
    [utf16('\ufeffwallet\tnetwork\n', 'LE'), 'the file was read as UTF-16 with tabs'],
    ['sep=#\nwalletAddress,network\n', 'the file was read as UTF-8 with the separator "#"'],
  ])('is refused with its encoding, its separator and a remedy: %j', async (text, fault) => {
    const refusal = await plan(text).catch(({ message }) => message);
    expect(refusal).toContain('the column walletAddress is missing');
    expect(refusal).toContain(fault);
    expect(refusal).toContain('save it as "CSV UTF-8", or name the separator in a first line such as sep=;');
  });

  it('has its encoding named if a letter of Windows-1252 is in a field that counts', async () => {
    const planned = await plan(Buffer.from(`walletAddress;network\n${ETHEREUM}\u00a0;sepolia\n`, 'latin1'));
    expect(faultsOf(planned)).toEqual([
      expect.stringMatching(/^2: column 1 .*Windows-1252: save the file as "CSV UTF-8"$/),
    ]);
  });

  it('is decoded across the pieces in which it is read', async () => {
    for (const padding of ['x', 'xy', 'xyz']) {
      const rows = WALLETS.map((wallet) => `${padding}${'山'.repeat(50_000)}\tsepolia\t${wallet}\n`);
      const text = `note\tnetwork\twalletAddress\n${rows.join('')}`;
      for (const content of [text, utf16(text, 'LE'), utf16(text, 'BE')])
        expect((await plan(content)).passes.size).toBe(2);
    }
  });
});

describe('issue', () => {
  const HEAD = 'chain,network,walletAddress,state,expiryTimestamp,issuedBy,token,block';
  const wallets = Array.from({ length: 6 }, (_, index) => getAddress(`0x${String(index + 1).repeat(40)}`));
  const row = (wallet: string | undefined, state: string, expiry: number | '') =>
    `ethereum,sepolia,${wallet},${state},${expiry},0x,1,2`;

  it('skips the rows of a scan that are not active or expired, and uses the longest-living row of a wallet', async () => {
    const [active, frozen, revoked, expired, several, mixed] = wallets;
    const rows = [
      row(active, 'ACTIVE', LATER),
      row(frozen, 'FROZEN', ''),
      row(revoked, 'REVOKED', LATER),
      row(expired, 'ACTIVE', NOW),
      row(several, 'ACTIVE', LATER),
      row(several?.toLowerCase(), 'ACTIVE', LATER + 5),
      row(several, 'ACTIVE', LATER + 1),
      row(mixed, 'ACTIVE', LATER),
      row(mixed, 'FROZEN', ''),
      row(mixed, 'ACTIVE', ''),
    ];
    for (const order of [rows, rows.toReversed()]) {
      const { passes, skipped, ignoredColumns } = await plan([HEAD, ...order].join('\n'));
      expect(new Map(passes)).toEqual(
        new Map([
          [`sepolia/${active}`, LATER],
          [`sepolia/${several}`, LATER + 5],
          [`sepolia/${mixed}`, undefined],
        ]),
      );
      expect(Object.fromEntries(skipped)).toEqual({ FROZEN: 2, REVOKED: 1, expired: 1, 'further rows of a wallet': 3 });
      expect(ignoredColumns).toEqual(['issuedBy', 'token', 'block']);
    }
  });
});

describe('the other verbs', () => {
  it.each(['freeze', 'unfreeze', 'revoke'] as const)('%s takes every row, whatever its state is', async (verb) => {
    const text = `walletAddress,network,state,expiryTimestamp\n${ETHEREUM},sepolia,FROZEN,5\n${ETHEREUM},sepolia,ACTIVE,\n`;
    const { passes, skipped, ignoredColumns } = await plan(text, verb);
    expect([...passes]).toEqual([[`sepolia/${ETHEREUM}`, undefined]]);
    expect([...skipped]).toEqual([['further rows of a pass', 1]]);
    expect(ignoredColumns).toEqual(['state', 'expiryTimestamp']);
  });

  it('set-expiry needs an expiry in the future, and one for each pass', async () => {
    const rows = [
      `${ETHEREUM},sepolia,${LATER}`,
      `${ETHEREUM},sepolia,${LATER + 1}`,
      `${SOLANA},devnet,`,
      `${SOLANA},devnet,${NOW}`,
    ];
    const planned = await plan(`walletAddress,network,expiryTimestamp\n${rows.join('\n')}\n`, 'set-expiry');
    expect(faultsOf(planned)).toEqual([
      '3: line 2 has another expiry for this pass',
      '4: column 3 (expiryTimestamp): is empty, and an expiry cannot be removed',
      `5: column 3 (expiryTimestamp), "${NOW}": is in the past`,
    ]);
  });
});

/** The file is larger than the heap has room for, beside the modules. */
const { rows: ROWS, words: WORDS } = LONG ? { rows: 200_000, words: 8 } : { rows: 50_000, words: 40 };

it(`plans ${ROWS} rows in a heap of 96 MiB`, { timeout: 300_000 }, async () => {
  const file = join(folder, 'large.csv');
  const output = createWriteStream(file);
  output.write('walletAddress,network,note\n');
  for (let index = 0; index < ROWS; index += 1) {
    const bytes = new Uint8Array(32);
    new DataView(bytes.buffer).setUint32(0, index + 1);
    output.write(`${base58.encode(bytes)},devnet,${'a long note that nobody reads '.repeat(WORDS)}\n`);
  }
  await new Promise((resolve) => output.end(resolve));
  const command = [
    join(import.meta.dirname, '../../../../packages/cli/bin/gatepass.js'),
    'issue',
    '--dry-run',
    '--csv',
    file,
  ];
  const env = {
    GATEPASS_URL: 'http://127.0.0.1:9',
    GATEPASS_TOKEN_URL: 'http://127.0.0.1:9',
    GATEPASS_CLIENT_ID: 'a',
    GATEPASS_CLIENT_SECRET: 'b',
  };
  const { stdout } = await promisify(execFile)(process.execPath, ['--max-old-space-size=96', ...command], {
    env: env as unknown as NodeJS.ProcessEnv,
  });
  expect(stdout).toBe(`to send, devnet: ${ROWS}\n`);
});
