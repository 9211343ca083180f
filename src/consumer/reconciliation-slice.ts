import type { Config } from '../config/config.ts';
import { signerNameOf, signersOn } from '../config/signers.ts';
import type { SignerName } from '../network/signer-name.ts';
import type { Backend } from '../operations/backend.ts';
import { type PassKey, passName } from '../pass/pass.ts';
import type { PublishedRow } from '../store/passes.ts';
import type { RowPlace } from '../store/read-model.ts';

/** Maximum number of passes in a slice. */
const SLICE_MAX_PASSES = 100;

/**
 * The place that a run has reached. It first reads every row of the read model, shard after shard. Then it reads the passes
 * whose steps the signers remember, which reach back a day: a pass that changed since the last night must have a row.
 * Stored as JSON.
 */
export type ReconciliationPlace =
  | ({ readonly in: 'rows' } & RowPlace)
  | { readonly in: 'steps'; readonly signer: SignerName; readonly after: number };

export const START: ReconciliationPlace = { in: 'rows' };

export interface Slice {
  readonly passes: readonly { readonly key: PassKey; readonly row: PublishedRow | undefined }[];
  /** Undefined after the last slice. */
  readonly next: ReconciliationPlace | undefined;
}

/** Returns the passes of the slice at that place. Throws if the database or a signer does not answer. */
export async function readSlice(place: ReconciliationPlace, config: Config, backend: Backend): Promise<Slice> {
  if (place.in === 'steps') return readStepsSlice(place, config, backend);
  const { rows, next } = await backend.store.readRows(place, SLICE_MAX_PASSES);
  const passes = rows.map((row) => ({ key: row.key, row }));
  return { passes, next: next ? { in: 'rows', ...next } : placeOfFirst(signerNamesIn(config)) };
}

async function readStepsSlice(
  { signer, after }: ReconciliationPlace & { in: 'steps' },
  config: Config,
  { store, signerObject }: Backend,
): Promise<Slice> {
  const steps = await signerObject(signer).listPassesAfter(after, SLICE_MAX_PASSES);
  const keys = [...new Map(steps.map(({ key }) => [passName(key), key])).values()];
  // The run has already compared passes that have a row.
  const withoutRow = await store.findWithoutRow(keys);
  const last = steps.length === SLICE_MAX_PASSES ? steps.at(-1) : undefined;
  const names = signerNamesIn(config);
  const next: ReconciliationPlace | undefined = last
    ? { in: 'steps', signer, after: last.seq }
    : placeOfFirst(names.slice(names.indexOf(signer) + 1));
  return { passes: withoutRow.map((key) => ({ key, row: undefined })), next };
}

function placeOfFirst([signer]: readonly SignerName[]): ReconciliationPlace | undefined {
  return signer === undefined ? undefined : { in: 'steps', signer, after: 0 };
}

function signerNamesIn(config: Config): SignerName[] {
  return config.networks.flatMap((network) => signersOn(config, network).map(signerNameOf));
}
