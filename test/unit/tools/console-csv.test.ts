import { describe, expect, it } from 'vitest';
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
