import { logFault } from '../log/log.ts';
import type { Backend } from '../operations/backend.ts';
import type { PassKey } from '../pass/pass.ts';
import type { Inspection } from '../pass-object/results.ts';
import type { Publication, PublishedRow } from '../store/passes.ts';
import type { Difference } from '../store/reconciliations.ts';
import type { Tally } from './differences.ts';
import type { Slice } from './reconciliation-slice.ts';

/**
 * Compares rows of the read model with their pass objects, and repairs rows that differ. Returns the passes as their objects
 * have them. Throws if the database does not answer.
 */
export async function compareRows(passes: Slice['passes'], tally: Tally, backend: Backend): Promise<Inspection[]> {
  const compared = await Promise.all(passes.map(({ key, row }) => inspectPass(key, row, tally, backend)));
  const found = compared.filter((each) => each !== undefined);
  for (const { inspection } of found) {
    if (inspection.wasWithoutAlarm) tally.report('no-alarm', inspection.publication);
  }
  await repairRows(found, tally, backend);
  return found.map(({ inspection }) => inspection);
}

interface InspectedRow {
  readonly row: PublishedRow | undefined;
  readonly inspection: Inspection;
}

async function inspectPass(
  key: PassKey,
  row: PublishedRow | undefined,
  tally: Tally,
  { passObject }: Backend,
): Promise<InspectedRow | undefined> {
  try {
    const inspection = await passObject(key).inspect();
    if (inspection !== undefined) return { row, inspection };
    if (row !== undefined) tally.report('no-pass-object', row);
  } catch (fault) {
    logFault('pass.unreachable', fault, { pass: row?.id });
    tally.count('object-unreachable');
  }
  return undefined;
}

async function repairRows(rows: readonly InspectedRow[], tally: Tally, { store }: Backend): Promise<void> {
  const suspects = rows.filter(({ row, inspection }) => differenceOf(row, inspection.publication) !== undefined);
  // Read the rows again: a pass that changed between the two reads is no difference, because its row follows.
  const newRows = await store.findRows(suspects.map(({ inspection }) => inspection.publication));
  const behind: Publication[] = [];
  for (const [index, { row, inspection }] of suspects.entries()) {
    const { publication } = inspection;
    const isAltered = differenceOf(row, publication) === 'row-altered';
    const difference = isAltered ? 'row-altered' : differenceOf(newRows[index], publication);
    if (difference === undefined || (difference === 'row-altered' && !isAltered)) continue;
    tally.report(difference, publication);
    if (isAltered && row !== undefined) await store.correctRow(publication, row.version);
    else behind.push(publication);
  }
  await store.publishBatch(behind);
}

/** Returns how the row differs from the pass. The row was read first, so it is newer only if somebody else wrote it. */
function differenceOf(row: PublishedRow | undefined, pass: Publication): Difference | undefined {
  if (row === undefined) return 'row-missing';
  if (row.version < pass.version) return 'row-stale';
  const isSame = row.version === pass.version && row.id === pass.id && row.state === pass.state;
  return isSame && row.record === pass.record ? undefined : 'row-altered';
}
