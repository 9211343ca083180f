import { closestTo } from '../closest.ts';
import { pastedText } from '../pasted-text.ts';
import { repeatedColumns } from './csv-format.ts';
import { OWN_NAMES, type OwnName } from './own-names.ts';
import { REQUESTED, type Verb } from './verb.ts';

/** Values that the command line gives for all rows. */
export interface GivenValues {
  readonly chain?: string | undefined;
  readonly network?: string | undefined;
  /** Unix seconds. */
  readonly expiryTimestamp?: number | undefined;
  /** Null: removes the references. */
  readonly reference?: string | null | undefined;
  /** Null: removes the subjects. */
  readonly subject?: string | null | undefined;
}

type Name = 'walletAddress' | 'chain' | 'network' | 'expiryTimestamp' | OwnName | 'state';

/** The place of each used column in a row; undefined: the file does not have it, or it is not used. */
export type Columns = Readonly<Partial<Record<Name, number>>>;

export interface Header {
  readonly columns: Columns;
  /** Names of the columns that the command does not use. */
  readonly ignored: readonly string[];
  /** Required columns that are missing, each with advice. */
  readonly missing: readonly string[];
  /** Columns that repeat the name of another, each as a fault. */
  readonly repeated: readonly string[];
}

/** Reads the first row of a file: the columns that the command uses, ignores and misses. */
export function readHeader(cells: readonly string[], verb: Verb, given: GivenValues): Header {
  const names = cells.map(pastedText);
  const required: Name[] = ['walletAddress'];
  if (given.network === undefined) required.push('network');
  if (verb === 'set-expiry' && given.expiryTimestamp === undefined) required.push('expiryTimestamp');
  const named = OWN_NAMES.filter((name) => REQUESTED[verb].names.includes(name) && given[name] === undefined);
  if (verb !== 'issue') required.push(...named);
  const used = [...required];
  if (given.chain === undefined) used.push('chain');
  if (REQUESTED[verb].takesExpiry && given.expiryTimestamp === undefined) used.push('expiryTimestamp');
  if (verb === 'issue') used.push(...named, 'state');
  const found = used.filter((name) => names.includes(name));
  const ignored = names.filter((name) => name !== '' && !(found as string[]).includes(name));
  const missing = required.filter((name) => !names.includes(name)).map((name) => missingColumn(name, ignored));
  const columns = Object.fromEntries(found.map((name) => [name, names.indexOf(name)]));
  return { columns, ignored, missing, repeated: repeatedColumns(names) };
}

function missingColumn(name: string, others: readonly string[]): string {
  const close = closestTo(name, others);
  return `the column ${name} is missing${close === undefined ? '' : `. The file has ${close}: rename it`}`;
}
