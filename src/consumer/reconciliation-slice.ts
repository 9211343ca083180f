import type { Config } from '../config/config.ts';
import { FIRST_SHARD } from '../config/shard-name.ts';
import { signerNameOf, signersOn } from '../config/signers.ts';
import { type PassKey, passName } from '../pass/pass.ts';
import type { Publication } from '../store/passes.ts';
import { rowsAfter, rowsOf } from '../store/read-model.ts';
import { shardOf, shardsOf } from '../store/shards.ts';

/** Passes that are compared in one go. */
const SLICE_MAX_PASSES = 100;

/**
 * How far a run has come. First every row of the read model, one database after the other; then the passes that the signers
 * remember steps of, a day back: a pass that was changed since the last night must have a row.
 */
export type ReconciliationPlace =
  | { readonly in: 'rows'; readonly shard?: string | undefined; readonly after?: PassKey | undefined }
  | { readonly in: 'steps'; readonly signer: string; readonly after: number };

export const START: ReconciliationPlace = { in: 'rows' };

export interface Slice {
  readonly passes: readonly { readonly key: PassKey; readonly row: Publication | undefined }[];
  /** Undefined: it was the last one. */
  readonly next: ReconciliationPlace | undefined;
}

/** Throws when the database or a signer does not answer. */
export async function readSlice(place: ReconciliationPlace, config: Config, env: Env): Promise<Slice> {
  if (place.in === 'steps') return readStepsSlice(place, config, env);
  const { shard = FIRST_SHARD, after } = place;
  const rows = await rowsAfter(shardOf(env, shard).db, after, SLICE_MAX_PASSES);
  const passes = rows.map((row) => ({ key: row.key, row }));
  const last = rows.length === SLICE_MAX_PASSES ? rows.at(-1) : undefined;
  return { passes, next: last ? { in: 'rows', shard, after: last.key } : placeAfterShard(shard, config, env) };
}

function placeAfterShard(shard: string, config: Config, env: Env): ReconciliationPlace | undefined {
  const shards = shardsOf(env).map(({ name }) => name);
  const next = shards[shards.indexOf(shard) + 1];
  return next === undefined ? placeOfSigner(signerNames(config)) : { in: 'rows', shard: next };
}

async function readStepsSlice(
  { signer, after }: ReconciliationPlace & { in: 'steps' },
  config: Config,
  env: Env,
): Promise<Slice> {
  const steps = await env.SIGNERS.getByName(signer).listPassesAfter(after, SLICE_MAX_PASSES);
  const keys = [...new Map(steps.map(({ key }) => [passName(key), key])).values()];
  const inShards = await Promise.all(shardsOf(env).map(({ db }) => rowsOf(db, keys)));
  // What has its row was compared with the others.
  const isMissing = (_: PassKey, index: number) => inShards.every((rows) => rows[index] === undefined);
  const passes = keys.filter(isMissing).map((key) => ({ key, row: undefined }));
  const last = steps.length === SLICE_MAX_PASSES ? steps.at(-1) : undefined;
  const names = signerNames(config);
  const next: ReconciliationPlace | undefined = last
    ? { in: 'steps', signer, after: last.seq }
    : placeOfSigner(names.slice(names.indexOf(signer) + 1));
  return { passes, next };
}

function placeOfSigner([signer]: readonly string[]): ReconciliationPlace | undefined {
  return signer === undefined ? undefined : { in: 'steps', signer, after: 0 };
}

function signerNames(config: Config): string[] {
  return config.networks.flatMap((network) => signersOn(config, network).map(signerNameOf));
}
