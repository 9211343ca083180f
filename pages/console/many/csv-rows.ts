import {
  adviceFor,
  adviceForLetters,
  type CsvFormat,
  formatOf,
  isEmptyRow,
  repeatedColumns,
} from '../../../packages/cli/src/csv/csv-format.ts';
import { spreadsheetFault, textOf } from '../../../packages/cli/src/csv/spreadsheet-cell.ts';
import { pastedText, pastedWallet, wrongCharacter } from '../../../packages/cli/src/pasted-text.ts';
import type { Chain } from '../api/records.ts';
import { networkOf } from '../passes/networks.ts';

const COLUMNS = ['walletAddress', 'network', 'expiryTimestamp', 'reference', 'subject'] as const;

/** The item of a request for a row. */
export interface Item {
  readonly chain: Chain;
  readonly walletAddress: string;
  readonly expiryTimestamp?: number;
  readonly reference?: string;
  readonly subject?: string;
}

export interface Row {
  readonly walletAddress: string;
  readonly network: string;
  readonly reference: string;
  readonly subject: string;
  readonly line: number;
  readonly item?: Item;
  /** Why the service need not see the row. */
  readonly fault?: string;
}

/**
 * Returns a row for each line of the file, and the number of rows without content. Throws if the file is not usable as a whole,
 * before anything is sent.
 * @param bytes The file.
 * @param fallback The network of rows without one.
 */
export async function readRows(
  bytes: Uint8Array,
  fallback: string,
): Promise<{ readonly rows: Row[]; readonly emptyRows: number }> {
  const { parse } = await import('csv-parse/browser/esm/sync');
  const format = formatOf(bytes);
  const options = { delimiter: format.separator, info: true, relax_column_count: true, trim: true } as const;
  let lines: { readonly record: string[]; readonly info: { readonly lines: number } }[];
  try {
    lines = parse(new TextDecoder(format.encoding).decode(bytes), options) as unknown as typeof lines;
  } catch (error) {
    throw new Error(`The file is not CSV: ${error instanceof Error ? error.message : error}.`);
  }
  const read = format.isNamed ? lines.slice(1) : lines;
  const [header, ...filled] = read.filter(({ record }) => !isEmptyRow(record));
  const columns = columnsOf(header?.record ?? [], format);
  if (filled.length === 0) throw new Error('The file has no rows.');
  const rows = filled.map(({ record, info }) => rowOf(record, columns, fallback, info.lines));
  return { rows: refuseConflicts(rows), emptyRows: read.length - filled.length - 1 };
}

interface Columns {
  /** The place of each known column; -1 if the file lacks it. */
  readonly places: readonly number[];
  readonly width: number;
}

/** Returns the place of each column that the file has, and their number. Throws if the header is wrong. */
function columnsOf(header: readonly string[], format: CsvFormat): Columns {
  const names = header.map(pastedText);
  const [repeated] = repeatedColumns(names);
  if (repeated !== undefined) throw new Error(`The file is not clear: ${repeated}.`);
  if (!names.includes('walletAddress'))
    throw new Error(`The file has no column "walletAddress": ${adviceFor(format)}.`);
  return { places: COLUMNS.map((name) => names.indexOf(name)), width: names.length };
}

/** Returns the item of a row, or a `fault` that the service need not see. */
function rowOf(cells: readonly string[], { places, width }: Columns, fallback: string, line: number): Row {
  const [wallet = '', own = '', expiry = '', written = '', person = ''] = places.map((place) => cells[place]);
  const [walletAddress, expiryTimestamp] = [pastedWallet(wallet), pastedText(expiry)];
  const [reference, subject] = [textOf(written), textOf(person)];
  const name = pastedText(own) || fallback;
  const network = networkOf(name);
  const row = { walletAddress, network: name, reference, subject, line };
  const advice = adviceForLetters(cells);
  const refuse = (fault: string) => ({ ...row, fault: [`line ${line}: ${fault}`, advice].filter(Boolean).join('; ') });
  if (cells.length !== width) return refuse(`the row has ${cells.length} fields, and the header has ${width}`);
  if (network === undefined)
    return refuse([`"${name}" is not a network`, wrongCharacter(name, /[A-Za-z0-9-]/)].filter(Boolean).join('. '));
  for (const [column, cell] of Object.entries({
    walletAddress,
    expiryTimestamp,
    reference: written,
    subject: person,
  })) {
    const made = spreadsheetFault(cell);
    if (made !== undefined) return refuse(`${column} "${cell}" ${made}`);
  }
  if (!/^\d*$/.test(expiryTimestamp)) return refuse(`expiryTimestamp "${expiryTimestamp}" must be Unix seconds`);
  const item = {
    chain: { type: network.chain, network: name } as Chain,
    walletAddress,
    ...(expiryTimestamp !== '' && { expiryTimestamp: Number(expiryTimestamp) }),
    ...(reference !== '' && { reference }),
    ...(subject !== '' && { subject }),
  };
  return { ...row, item };
}

const REQUESTED = ['expiryTimestamp', 'reference', 'subject'] as const;

/** Refuses a row if an earlier one asks for another expiry, reference or subject of the same pass: the service would refuse every item of the request. */
function refuseConflicts(rows: readonly Row[]): Row[] {
  const earlier = new Map<string, { readonly item: Item; readonly line: number }>();
  return rows.map((row) => {
    const { item, line, ...rest } = row;
    if (item === undefined) return row;
    const { chain, walletAddress } = item;
    // Ethereum-type addresses have no case.
    const pass = `${chain.network}/${chain.type === 'ethereum' ? walletAddress.toLowerCase() : walletAddress}`;
    const first = earlier.get(pass) ?? { item, line };
    earlier.set(pass, first);
    const field = REQUESTED.find((name) => first.item[name] !== item[name]);
    if (field === undefined) return row;
    const differs = field === 'expiryTimestamp' ? 'expiry' : field;
    return { ...rest, line, fault: `line ${line}: line ${first.line} has another ${differs} for this pass` };
  });
}
