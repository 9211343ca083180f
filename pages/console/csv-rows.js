import { adviceFor, adviceForLetters, formatOf, isEmptyRow, repeatedColumns } from './csv-format.js';
import { networkOf } from './format.js';

const COLUMNS = ['walletAddress', 'network', 'expiryTimestamp', 'reference'];

/**
 * Returns a row for each line of the file, and the number of rows without content. Throws if the file is not usable as a whole,
 * before anything is sent.
 * @param bytes The file.
 * @param fallback The network of rows without one.
 */
export async function readRows(bytes, fallback) {
  const { parse } = await import('./csv-parse.js');
  const format = formatOf(bytes);
  const options = { delimiter: format.separator, info: true, relax_column_count: true, trim: true };
  let lines;
  try {
    lines = parse(new TextDecoder(format.encoding).decode(bytes), options);
  } catch (error) {
    throw new Error(`The file is not CSV: ${error.message}.`);
  }
  const read = format.isNamed ? lines.slice(1) : lines;
  const [header, ...filled] = read.filter(({ record }) => !isEmptyRow(record));
  const columns = columnsOf(header?.record ?? [], format);
  if (filled.length === 0) throw new Error('The file has no rows.');
  const rows = filled.map(({ record, info }) => rowOf(record, columns, fallback, info.lines));
  return { rows: refuseConflicts(rows), emptyRows: read.length - filled.length - 1 };
}

/** Returns the place of each column that the file has, and their number. Throws if the header is wrong. */
function columnsOf(header, format) {
  const names = header.map((name) => name.trim());
  const [repeated] = repeatedColumns(names);
  if (repeated !== undefined) throw new Error(`The file is not clear: ${repeated}.`);
  if (!names.includes('walletAddress'))
    throw new Error(`The file has no column "walletAddress": ${adviceFor(format)}.`);
  const places = COLUMNS.map((name) => [name, names.indexOf(name)]);
  return { ...Object.fromEntries(places), width: names.length };
}

/** Returns the item of a row, or a `fault` that the service need not see. */
function rowOf(cells, columns, fallback, line) {
  const [walletAddress = '', own = '', expiryTimestamp = '', escaped = ''] = COLUMNS.map(
    (name) => cells[columns[name]],
  );
  // A spreadsheet or the command may have escaped a reference that begins like a formula.
  const reference = escaped.replace(/^'(?='*[=+\-@＝＋－＠])/, '');
  const name = own || fallback;
  const network = networkOf(name);
  const row = { walletAddress, network: name, reference, line };
  const advice = adviceForLetters(cells);
  const refuse = (fault) => ({ ...row, fault: [`line ${line}: ${fault}`, advice].filter(Boolean).join('; ') });
  if (cells.length !== columns.width)
    return refuse(`the row has ${cells.length} fields, and the header has ${columns.width}`);
  if (network === undefined) return refuse(`"${name}" is not a network`);
  if (!/^\d*$/.test(expiryTimestamp)) return refuse('expiryTimestamp must be Unix seconds');
  const expiry = expiryTimestamp === '' ? {} : { expiryTimestamp: Number(expiryTimestamp) };
  const named = reference === '' ? {} : { reference };
  return { ...row, item: { chain: { type: network.chain, network: name }, walletAddress, ...expiry, ...named } };
}

/** Refuses a row if an earlier one asks for another expiry or reference of the same pass: the service would refuse every item of the request. */
function refuseConflicts(rows) {
  const earlier = new Map();
  return rows.map((row) => {
    if (row.item === undefined) return row;
    const { chain, walletAddress, expiryTimestamp, reference } = row.item;
    // Ethereum-type addresses have no case.
    const pass = `${chain.network}/${chain.type === 'ethereum' ? walletAddress.toLowerCase() : walletAddress}`;
    const first = earlier.get(pass) ?? row;
    earlier.set(pass, first);
    const differs = first.item.expiryTimestamp !== expiryTimestamp ? 'expiry' : 'reference';
    if (differs === 'reference' && first.item.reference === reference) return row;
    return {
      ...row,
      item: undefined,
      fault: `line ${row.line}: line ${first.line} has another ${differs} for this pass`,
    };
  });
}
