import { describe, expect, it } from 'vitest';
import { passesFile, resultsFile } from '../../../pages/console/many/csv-files.ts';
import { readRows } from '../../../pages/console/many/csv-rows.ts';
import { READABLE, REPEATED, WALLETS } from '../packages/cli/csv-files.ts';

/** The console reads the files that the command reads, with the rules of the command. */

const read = (content: string | Buffer, network = 'sepolia') => readRows(Buffer.from(content), network);

describe('the console', () => {
  it.each(READABLE)('reads a file %s', async (_, content, emptyRows) => {
    const chain = { type: 'ethereum', network: 'sepolia' };
    const result = await read(content, 'devnet');
    expect(result.rows).toMatchObject(WALLETS.map((walletAddress) => ({ item: { chain, walletAddress } })));
    expect(result.emptyRows).toBe(emptyRows);
  });

  it.each(REPEATED)('refuses a file in which two columns have one name: %s', async (header, one, other) => {
    await expect(read(`${header}\nx,sepolia\n`)).rejects.toThrow(`the columns ${one} and ${other} have the same name`);
  });

  it.each([
    ['wallet;network\nx;sepolia\n', 'no column "walletAddress": the file was read as UTF-8 with semicolons: if it is'],
    [';;\n\n', 'no column "walletAddress"'],
    ['', 'no column "walletAddress"'],
    ['walletAddress\n\n', 'The file has no rows.'],
    ['walletAddress\n"x\n', 'The file is not CSV: Quote Not Closed'],
  ])('refuses a file as a whole with its reason: %j', async (text, reason) => {
    await expect(read(text)).rejects.toThrow(reason);
  });

  it('names an invisible character in a network', async () => {
    const { rows } = await read(`walletAddress,network\n${WALLETS[0]},sepo\u200blia\n`);
    expect(rows[0]?.fault).toContain('is not a network. Character 5 is U+200B (zero width space)');
  });

  it('drops the apostrophe in front of a reference, and refuses a cell that only a spreadsheet makes', async () => {
    const [wallet] = WALLETS;
    const cells = ["'00123", "'=1+2", 'order-1', '1.23E+19', '#REF!'].map((cell) => `${wallet},${cell},4000000000`);
    const lines = ['walletAddress,reference,expiryTimestamp', ...cells, `${wallet},a,1.8E+09`, ''];
    const { rows } = await read(lines.join('\n'));
    expect(rows.slice(0, 3).map(({ reference }) => reference)).toEqual(['00123', '=1+2', 'order-1']);
    expect(rows.slice(3).map(({ fault }) => fault)).toEqual([
      expect.stringMatching(/^line 5: reference "1\.23E\+19" is a number that a spreadsheet has shortened/),
      expect.stringMatching(/^line 6: reference "#REF!" is an error of a spreadsheet/),
      expect.stringMatching(/^line 7: expiryTimestamp "1\.8E\+09" is a number that a spreadsheet has shortened/),
    ]);
    const last = await read(`walletAddress,expiryTimestamp\n${wallet},'253402300799\n`);
    expect(last.rows[0]?.item).toMatchObject({ expiryTimestamp: 253_402_300_799 });
  });

  it('reads subjects, and refuses rows that differ in the subject of a pass', async () => {
    const [wallet] = WALLETS;
    const lines = ['walletAddress,subject', `${wallet},'00123`, `${wallet},p-2`, `${wallet},1.23E+19`, ''];
    const { rows } = await read(lines.join('\n'));
    expect(rows[0]).toMatchObject({ subject: '00123', item: { subject: '00123' } });
    expect(rows.slice(1).map(({ fault }) => fault)).toEqual([
      'line 3: line 2 has another subject for this pass',
      expect.stringMatching(/^line 4: subject "1\.23E\+19" is a number that a spreadsheet has shortened/),
    ]);
  });

  it('writes files that it reads, also with texts that a spreadsheet would change', async () => {
    const chain = { type: 'ethereum', network: 'sepolia' };
    const references = ['00123', '1E5', '=1', "'=1", 'a, "b"', '2026-01-02', 'TRUE', 'order-1'];
    const wallets = references.map((_, index) => `0x${String(index + 1).padStart(40, '0')}`);
    const passes = references.map((reference, index) => ({
      ...{ chain, reference, walletAddress: wallets[index] ?? '', expiryTimestamp: 253_402_300_799, valid: true },
    }));
    const file = await passesFile(passes as never);
    expect(file).toContain(`,true,,'253402300799,,'00123,\n`);
    const { rows } = await read(file);
    expect(rows.map(({ item }) => item)).toEqual(
      passes.map(({ walletAddress, expiryTimestamp, reference }) => ({
        chain,
        walletAddress,
        expiryTimestamp,
        reference,
      })),
    );
    const results = references.map((reference, index) => ({
      walletAddress: wallets[index],
      network: 'sepolia',
      reference,
    }));
    expect((await read(await resultsFile(results))).rows.map(({ reference }) => reference)).toEqual(references);
  });

  it('reports the fault of a row with its line, and reads the others', async () => {
    const [wallet] = WALLETS;
    const text = `sep=;\nwalletAddress;network\n;\n${wallet};sepola\n${wallet}\nJürgen;no\n${wallet};\n`;
    const { rows } = await read(Buffer.from(text, 'latin1'));
    expect(rows.map(({ fault, item }: { fault?: string; item?: object }) => fault ?? item)).toEqual([
      'line 4: "sepola" is not a network',
      'line 5: the row has 1 fields, and the header has 2',
      expect.stringMatching(/^line 6: "no" is not a network; .* Windows-1252: save the file as "CSV UTF-8"$/),
      { chain: { type: 'ethereum', network: 'sepolia' }, walletAddress: wallet },
    ]);
  });
});
