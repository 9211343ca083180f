import { CsvError, parse } from 'csv-parse/sync';
import { Failure } from '../../terminal/failure.ts';
import { readText } from '../files.ts';

/** A pass as the admin API names it. */
export interface NamedPass {
  readonly gatekeeperNetwork: string;
  readonly chain: string;
  readonly network: string;
  readonly walletAddress: string;
}

/** The maximum of `POST /admin/revocations`. */
const LIST_MAX = 200;
const NEEDED = ['chain', 'network', 'walletAddress'] as const;

/**
 * Returns the wallets of a CSV file with a header, in lists that fit into a request. Each wallet comes once per network. A row of a
 * revoked token is left out.
 * @param issuedBy Only rows whose token one of these keys issued.
 */
export function listsIn(file: string, gatekeeperNetwork: string, issuedBy?: readonly string[]): NamedPass[][] {
  const isWanted = (row: Row) => issuedBy === undefined || issuedBy.some((key) => isSame(key, row.issuedBy ?? ''));
  const named = new Map<string, NamedPass>();
  for (const row of rowsIn(file)) {
    const { chain, network, walletAddress, state } = row;
    if (state === 'REVOKED' || !isWanted(row)) continue;
    named.set([chain, network, walletAddress].join(), { gatekeeperNetwork, chain, network, walletAddress });
  }
  const all = [...named.values()];
  if (all.length === 0) throw new Failure(`${file} names no wallet that fits: there is nothing to revoke`);
  return Array.from({ length: Math.ceil(all.length / LIST_MAX) }, (_, n) =>
    all.slice(n * LIST_MAX, (n + 1) * LIST_MAX),
  );
}

/** Only Ethereum addresses have letters in either case. */
const isSame = (a: string, b: string) => a === b || (a.startsWith('0x') && a.toLowerCase() === b.toLowerCase());

type Row = Readonly<Record<(typeof NEEDED)[number], string> & Partial<Record<string, string>>>;

function rowsIn(file: string): Row[] {
  const [header = [], ...rows] = recordsIn(file);
  const missing = NEEDED.filter((name) => !header.includes(name));
  if (missing.length > 0) throw new Failure(`${file} has no column ${missing.join(', ')} in its first line`, 2);
  return rows.map((values) => Object.fromEntries(header.map((name, index) => [name, values[index] ?? ''])) as Row);
}

function recordsIn(file: string): string[][] {
  try {
    return parse(readText(file), { bom: true, skipEmptyLines: true, trim: true });
  } catch (fault) {
    if (!(fault instanceof CsvError)) throw fault;
    throw new Failure(`${file} is not CSV: ${fault.message}`, 2);
  }
}
