import type { Config } from '../config/config.ts';
import { configOf } from '../config/parse-config.ts';
import { signerNameOf, signersOn } from '../config/signers.ts';
import type { UnixSeconds } from '../lib/brand.ts';
import { nowSeconds } from '../lib/time.ts';
import { log, logFault } from '../log/log.ts';
import { parseReconcile, sendReconcile } from '../message/queue.ts';
import { rulesFor } from '../network/sandbox.ts';
import type { SignerName } from '../network/signer-name.ts';
import type { Backend } from '../operations/backend.ts';
import { passName } from '../pass/pass.ts';
import { PUBLISHED_SECONDS } from '../store/placements.ts';
import type { Run } from '../store/reconciliations.ts';
import type { Store } from '../store/store.ts';
import { addCounts, compareRows, compareWithChain, type PassOfSlice, Tally } from './compare.ts';
import {
  advancePart,
  advancePlace,
  currentPartOf,
  formatPosition,
  type NetworkPart,
  parsePosition,
  type RunPlace,
  type RunPosition,
  SLICE_MAX_PASSES,
  slicesOfNight,
} from './run-position.ts';

/** Does a slice for each message, and sends the message for the next one. The queue retries a failed message. */
export async function reconcile(
  messages: readonly Message[],
  env: Env,
  backend: Backend,
  maxSlices?: number,
): Promise<void> {
  for (const message of messages) {
    const night = parseReconcile(message.body);
    try {
      if (night !== undefined && (await doSlice(night, configOf(env), backend, maxSlices))) {
        await sendReconcile(backend.queue, night);
      }
      message.ack();
    } catch (fault) {
      logFault('reconciliation.slice_failed', fault, { night });
      message.retry();
    }
  }
}

/** Does the next slice. Returns whether another one is left this night. */
async function doSlice(night: UnixSeconds, config: Config, backend: Backend, maxSlices?: number): Promise<boolean> {
  const run = await findRun(night, backend.store);
  if (run === undefined) return false;
  const position = parsePosition(run.position);
  const part = currentPartOf(position);
  // The passes of a part do not wait for the next night, because public checks say until then that the network is behind.
  if (part === undefined && run.slices >= (maxSlices ?? slicesOfNight(run))) return false;
  const movedAt = await backend.store.lastMoveAt();
  // The rows of a gatekeeper network that moves are old, so the comparison continues afterwards.
  if (movedAt === Number.POSITIVE_INFINITY) return false;
  const { passes, positionAfter, isLast } = await (part
    ? readPartSlice(position, part, backend)
    : readSlice(position, config, backend));
  await beginWatchers(passes, config, backend);
  const tally = new Tally();
  tally.count('passes', passes.length);
  const inspections = await compareRows(passes, tally, backend);
  const absences = await compareWithChain(inspections, run.run, tally, config, backend, part?.since);

  const isUndecided = part?.isUndecided === true || movedAt > nowSeconds() - PUBLISHED_SECONDS || tally.isUndecided;
  // If the watcher does not answer, the message is delivered again, and the slice runs twice.
  if (part !== undefined && isLast) await endPart(part, isUndecided, backend);
  const counts = addCounts(run.counts, tally.counts);
  const finished = part === undefined && isLast ? nowSeconds() : undefined;
  // If a message is delivered twice, the slice runs twice, which changes nothing, and counts once.
  const progress = { position: formatPosition(positionAfter(isUndecided)), finished, counts };
  if (!(await backend.store.advanceRun(run, progress, absences))) return false;
  log('reconciliation.slice_done', { night, ...tally.counts });
  if (finished !== undefined) log('reconciliation.done', { started: run.started, finished, ...counts });
  return finished === undefined;
}

/**
 * Begins the watch of the networks of these passes where the first call for it was lost. Nobody knows since when those networks have
 * passes, so each is read again from its first pass on. Logs failures and never throws.
 */
async function beginWatchers(
  passes: readonly PassOfSlice[],
  { rpc }: Config,
  { watcherObject }: Pick<Backend, 'watcherObject'>,
): Promise<void> {
  const watched = passes.filter(({ key }) => rulesFor(key.gatekeeperNetwork).isWatched && rpc[key.network]?.length);
  const networks = new Set(watched.map(({ key }) => key.network));
  await Promise.all(
    [...networks].map((network) =>
      watcherObject(network)
        .begin(0)
        .catch((fault) => logFault('watcher.unreachable', fault, { network })),
    ),
  );
}

/** Returns the run that continues this night; undefined if it is finished. */
async function findRun(night: UnixSeconds, store: Store): Promise<Run | undefined> {
  const last = await store.lastRun();
  if (last === undefined || (last.finished !== undefined && last.night < night)) {
    await store.beginRun((last?.run ?? 0) + 1, night, last?.position ?? '{}');
  } else if (last.finished === undefined && last.night < night) {
    await store.continueRun(last.run, night);
  }
  const run = await store.lastRun();
  return run?.night === night && run.finished === undefined ? run : undefined;
}

interface Slice {
  readonly passes: readonly PassOfSlice[];
  /** Whether it is the last one of the run, or of its part. */
  readonly isLast: boolean;
  /** @param isUndecided Whether a pass of the part could not be compared. */
  readonly positionAfter: (isUndecided: boolean) => RunPosition;
}

/** Returns the next slice of a network's passes. Throws if the database does not answer. */
async function readPartSlice(position: RunPosition, part: NetworkPart, { store }: Backend): Promise<Slice> {
  const { rows, next } = await store.readRowsOnNetwork(part.network, part.at ?? {}, SLICE_MAX_PASSES);
  return {
    passes: rows.map((row) => ({ key: row.key, row })),
    isLast: next === undefined,
    positionAfter: (isUndecided) => advancePart(position, part, next, isUndecided),
  };
}

/** Tells the watcher that every pass of its network was read. Throws if it does not answer. */
async function endPart({ network, since }: NetworkPart, isUndecided: boolean, backend: Backend): Promise<void> {
  if (!isUndecided) await backend.watcherObject(network).closeUnservedGaps(since);
  log('reconciliation.network_done', { network, is_complete: !isUndecided });
}

/** Returns the next slice of all passes. Throws if the database or a signer does not answer. */
async function readSlice(position: RunPosition, config: Config, backend: Backend): Promise<Slice> {
  const { place } = position;
  const { passes, next } = await (place.in === 'steps'
    ? readStepsSlice(place, config, backend)
    : readRowsSlice(place, config, backend));
  return { passes, isLast: next === undefined, positionAfter: () => advancePlace(position, next) };
}

interface SliceOfAll {
  readonly passes: readonly PassOfSlice[];
  /** Undefined after the last slice. */
  readonly next: RunPlace | undefined;
}

async function readRowsSlice(
  place: RunPlace & { in: 'rows' },
  config: Config,
  { store }: Backend,
): Promise<SliceOfAll> {
  const { rows, next } = await store.readRows(place, SLICE_MAX_PASSES);
  const passes = rows.map((row) => ({ key: row.key, row }));
  return { passes, next: next ? { in: 'rows', ...next } : placeOfFirst(signerNamesIn(config)) };
}

async function readStepsSlice(
  { signer, after }: RunPlace & { in: 'steps' },
  config: Config,
  { store, signerObject }: Backend,
): Promise<SliceOfAll> {
  const steps = await signerObject(signer).listPassesAfter(after, SLICE_MAX_PASSES);
  const keys = [...new Map(steps.map(({ key }) => [passName(key), key])).values()];
  // The run has already compared passes that have a row.
  const withoutRow = await store.findWithoutRow(keys);
  const last = steps.length === SLICE_MAX_PASSES ? steps.at(-1) : undefined;
  const names = signerNamesIn(config);
  const next: RunPlace | undefined = last
    ? { in: 'steps', signer, after: last.id }
    : placeOfFirst(names.slice(names.indexOf(signer) + 1));
  return { passes: withoutRow.map((key) => ({ key, row: undefined })), next };
}

function placeOfFirst([signer]: readonly SignerName[]): RunPlace | undefined {
  return signer === undefined ? undefined : { in: 'steps', signer, after: '' };
}

function signerNamesIn(config: Config): SignerName[] {
  return config.networks.flatMap((network) => signersOn(config, network).map(signerNameOf));
}
