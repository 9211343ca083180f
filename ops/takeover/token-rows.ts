import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { stringify } from 'csv-stringify/sync';
import { Failure } from '../../terminal/failure.ts';
import type { ScannedToken } from '../tokens/token.ts';

/** The columns of the file with the scanned tokens, in order. */
const COLUMNS = [
  'chain',
  'network',
  'walletAddress',
  'state',
  'expiryTimestamp',
  'issuedBy',
  'token',
  'block',
] as const;

/** A row of the file. Every value is a text without a comma or a quote. */
export type TokenRow = Readonly<Record<(typeof COLUMNS)[number], string>>;

export const HEADER = stringify([COLUMNS]);

export function formatTokens(tokens: readonly ScannedToken[]): string {
  return stringify(
    tokens.map(({ network, wallet, state, expiry, issuer, token, block }) => [
      network.chain,
      network.network,
      wallet,
      state,
      // Empty: the token never expires.
      expiry ?? '',
      issuer,
      token,
      block,
    ]),
    // A spreadsheet would run a cell that begins like a formula.
    { escape_formulas: true },
  );
}

/** Reads the rows of a file one by one. Throws Failure if the file is not that of a scan. */
export async function* readRows(file: string): AsyncGenerator<TokenRow> {
  let isHeader = true;
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const values = line.split(',');
    if (isHeader ? `${line}\n` !== HEADER : values.length !== COLUMNS.length)
      throw new Failure(`${file} is not the file of a scan: ${isHeader ? 'its header differs' : `see "${line}"`}`);
    if (!isHeader) yield Object.fromEntries(COLUMNS.map((column, index) => [column, values[index]])) as TokenRow;
    isHeader = false;
  }
}
