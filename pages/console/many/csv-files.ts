import { AS_CELLS } from '../../../packages/cli/src/csv/spreadsheet-cell.ts';
import type { FoundPass } from '../api/records.ts';

/** The CSV files that the console offers. A spreadsheet may open and save them. */

/** The columns mean the same as those of `gatepass search --csv`. */
const PASS_COLUMNS = [
  ...['chain', 'network', 'walletAddress', 'state', 'onChainState', 'valid', 'validUntil', 'expiryTimestamp', 'id'],
  ...['reference', 'subject'],
];
/** The columns of a result. They mean the same as those of the command `gatepass`. */
const RESULT_COLUMNS = ['network', 'walletAddress', 'reference', 'subject', 'outcome', 'detail', 'pass', 'requestId'];

/** Returns the file with the passes of a search. */
export const passesFile = (passes: readonly FoundPass[]): Promise<string> =>
  fileOf(
    passes.map(({ chain, ...pass }) => ({ ...pass, chain: chain.type, network: chain.network })),
    PASS_COLUMNS,
  );

/** Returns the file with the results of a run. */
export const resultsFile = (results: readonly object[]): Promise<string> => fileOf(results, RESULT_COLUMNS);

async function fileOf(rows: readonly object[], columns: string[]): Promise<string> {
  const { stringify } = await import('csv-stringify/browser/esm/sync');
  return stringify([...rows], { header: true, columns, cast: { ...AS_CELLS, boolean: String } });
}
