import { Failure } from '../failure.ts';
import { chainOf, chainWith, unknownNetwork } from '../networks.ts';
import { pastedText, pastedWallet } from '../pasted-text.ts';
import { checksumAdvice } from '../wallet-argument.ts';
import { type Columns, type GivenValues, readHeader } from './columns.ts';
import { adviceFor, adviceForLetters, isEmptyRow } from './csv-format.ts';
import { NAME_RULES, OWN_NAMES, type OwnName } from './own-names.ts';
import { type Row, readRows } from './read-rows.ts';
import { spreadsheetFault, textOf } from './spreadsheet-cell.ts';
import { REQUESTED, type Verb } from './verb.ts';
import { type ChainType, canonicalWallet, correctChecksum, wrongCharacterOf } from './wallet.ts';

/** A pass by network and canonical wallet: `sepolia/0x52…`. One text per pass keeps a large plan small. */
export type PassName = string;

/** The passes of a file, and its other rows. */
export interface Plan {
  /** The passes in the order of the file, with the requested expiry in Unix seconds; undefined: none. */
  readonly passes: ReadonlyMap<PassName, number | undefined>;
  /** The requested names; null: none. */
  readonly names: Readonly<Record<OwnName, ReadonlyMap<PassName, string | null>>>;
  /** Number of rows that the command skips, by reason. */
  readonly skipped: ReadonlyMap<string, number>;
  readonly ignoredColumns: readonly string[];
  /** Each fault with its line and column. */
  readonly faults: readonly string[];
  readonly faultCount: number;
}

/** Number of faults that the plan describes. It counts the others. */
const FAULTS_SHOWN = 20;

/** Returns the network with its chain, and the wallet, of a pass. */
export function passNamed(name: PassName) {
  const [network = '', walletAddress = ''] = name.split('/');
  return { chain: chainWith(network), walletAddress };
}

/**
 * Reads and checks a whole file. It keeps only the passes, not the rows. It skips rows without content. `issue` skips rows that are not ACTIVE or have expired, and
 * uses the longest-living row of a wallet.
 * @param askTime Returns the present of the passes in Unix seconds. Called once, if the file has expiries that count.
 */
export async function planRows(
  file: string,
  verb: Verb,
  given: GivenValues,
  askTime: () => Promise<number>,
): Promise<Plan> {
  const passes = new Map<PassName, number | undefined>();
  const names = { reference: new Map<PassName, string | null>(), subject: new Map<PassName, string | null>() };
  const lines = new Map<PassName, number>();
  const skipped = new Map<string, number>();
  const faults: string[] = [];
  let faultCount = 0;
  let width = 0;
  let ignoredColumns: readonly string[] = [];
  let columns: Columns | undefined;
  let now = 0;
  const skip = (reason: string) => skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
  const report = ({ line, cells }: Row, fault: string) => {
    faultCount += 1;
    const advice = adviceForLetters(cells);
    if (faults.length < FAULTS_SHOWN) faults.push([`${file}:${line}: ${fault}`, advice].filter(Boolean).join('; '));
  };

  for await (const row of readRows(file)) {
    if (isEmptyRow(row.cells)) {
      skip('empty rows');
      continue;
    }
    if (columns === undefined) {
      const header = readHeader(row.cells, verb, given);
      const missing = header.missing.length > 0 ? [...header.missing, adviceFor(row.format)] : [];
      const wrong = [...header.repeated, ...missing];
      if (wrong.length > 0) throw new Failure(`${file}:${row.line}: ${wrong.join('; ')}`);
      [columns, ignoredColumns, width] = [header.columns, header.ignored, row.cells.length];
      if (columns.expiryTimestamp !== undefined) now = await askTime();
      continue;
    }
    if (row.cells.length !== width) {
      report(row, `the row has ${row.cells.length} fields, and the header has ${width}`);
      continue;
    }
    const read = readRow(row, columns, verb, given, now);
    if ('faults' in read) for (const fault of read.faults) report(row, fault);
    else if ('skip' in read) skip(read.skip);
    else addPass(read);

    function addPass({ name, expiry, ...given }: ReadRow): void {
      const isKnown = passes.has(name);
      const named = OWN_NAMES.filter((each) => given[each] !== undefined);
      const other = named.find((each) => ![undefined, given[each]].includes(names[each].get(name)));
      if (other !== undefined) return report(row, `line ${lines.get(name)} has another ${other} for this pass`);
      if (isKnown && verb === 'set-expiry' && passes.get(name) !== expiry)
        return report(row, `line ${lines.get(name)} has another expiry for this pass`);
      if (isKnown) skip(verb === 'issue' ? 'further rows of a wallet' : 'further rows of a pass');
      if (!isKnown || (verb === 'issue' && livesLonger(expiry, passes.get(name)))) passes.set(name, expiry);
      for (const each of named) names[each].set(name, given[each] ?? null);
      if ((verb === 'set-expiry' && !isKnown) || (named.length > 0 && !lines.has(name))) lines.set(name, row.line);
    }
  }
  if (columns === undefined) throw new Failure(`${file}: the file is empty`);
  return { passes, names, skipped, ignoredColumns, faults, faultCount };
}

const livesLonger = (a = Number.POSITIVE_INFINITY, b = Number.POSITIVE_INFINITY) => a > b;

interface ReadRow extends Readonly<Partial<Record<OwnName, string | null | undefined>>> {
  readonly name: PassName;
  readonly expiry: number | undefined;
}

/** Returns the pass of a row, the reason to skip it, or its faults. */
function readRow(
  { cells }: Row,
  columns: Columns,
  verb: Verb,
  given: GivenValues,
  now: number,
): ReadRow | { readonly skip: string } | { readonly faults: readonly string[] } {
  const cellAsIs = (name: keyof Columns) => cells[columns[name] ?? -1] ?? '';
  const cell = (name: keyof Columns) => pastedText(cellAsIs(name));
  const faults: string[] = [];
  const columnOf = (name: keyof Columns) => `column ${(columns[name] ?? 0) + 1} (${name})`;
  const fault = (name: keyof Columns, text: string) => faults.push(`${columnOf(name)}: ${text}`);
  const faultOfCell = (name: keyof Columns, text: string) =>
    faults.push(`${columnOf(name)}, ${shown(cellAsIs(name))}: ${text}`);
  const network = given.network ?? cell('network');
  const chain = chainOf(network);
  const named = given.chain ?? (columns.chain === undefined ? chain : cell('chain'));
  if (chain === undefined) fault('network', unknownNetwork(network));
  else if (named !== chain)
    faultOfCell(columns.chain === undefined ? 'network' : 'chain', `${network} is a network of ${chain}`);
  const pasted = pastedWallet(cell('walletAddress'));
  const wallet = chain && canonicalWallet(chain, pasted);
  if (chain !== undefined && wallet === undefined)
    faultOfCell('walletAddress', spreadsheetFault(pasted) ?? faultOfWallet(chain, pasted));
  const expiry = given.expiryTimestamp ?? parseExpiry(cell('expiryTimestamp'));
  if (Number.isNaN(expiry)) faultOfCell('expiryTimestamp', spreadsheetFault(cell('expiryTimestamp')) ?? EXPIRY_RULE);
  else if (verb === 'set-expiry' && expiry === undefined)
    fault('expiryTimestamp', 'is empty, and an expiry cannot be removed');
  else if (verb === 'set-expiry' && (expiry ?? 0) <= now) faultOfCell('expiryTimestamp', 'is in the past');
  const readName = (name: OwnName) => {
    if (given[name] !== undefined) return given[name];
    const written = cellAsIs(name);
    const text = textOf(written) || undefined;
    const made = spreadsheetFault(written);
    if (made !== undefined) faultOfCell(name, made);
    else if (text !== undefined && !NAME_RULES[name].accepts(text)) faultOfCell(name, NAME_RULES[name].rule);
    else if (text === undefined && verb === `set-${name}`)
      fault(name, `is empty. Add --remove, without this column, to remove ${name}s`);
    return text;
  };
  const names = { reference: readName('reference'), subject: readName('subject') };
  if (faults.length > 0) return { faults };
  const state = cell('state');
  if (columns.state !== undefined && state !== 'ACTIVE') return { skip: state === '' ? 'no state' : state };
  if (verb === 'issue' && expiry !== undefined && expiry <= now) return { skip: 'expired' };
  return { name: `${network}/${wallet}`, expiry: REQUESTED[verb].takesExpiry ? expiry : undefined, ...names };
}

function faultOfWallet(chain: ChainType, text: string): string {
  const correct = chain === 'ethereum' ? correctChecksum(text) : undefined;
  if (correct !== undefined) return checksumAdvice(correct);
  return [WALLET_RULES[chain], wrongCharacterOf(chain, text)].filter(Boolean).join('. ');
}

const EXPIRY_RULE = 'must be Unix seconds, for example 2208988800, or empty';

/** The longest wallet and most references are shorter. */
const SHOWN_MAX_CHARS = 80;

/** Returns a cell for a person who looks for it in the file. */
function shown(cell: string): string {
  if (cell === '') return 'empty';
  return cell.length > SHOWN_MAX_CHARS ? `"${cell.slice(0, SHOWN_MAX_CHARS)}…"` : `"${cell}"`;
}

const WALLET_RULES = {
  ethereum: 'must be 0x and 40 hex digits, not all of them 0. Mixed case needs a valid EIP-55 checksum',
  solana: 'must be base58 of 32 bytes',
};

/** Returns Unix seconds, undefined for an empty text, or NaN. */
function parseExpiry(text: string): number | undefined {
  if (text === '') return undefined;
  return /^[1-9]\d{0,11}$/.test(text) ? Number(text) : Number.NaN;
}
