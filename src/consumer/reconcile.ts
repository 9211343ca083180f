import * as v from 'valibot';
import type { Config } from '../config/config.ts';
import { configOf } from '../config/parse-config.ts';
import { signerNameOf, signersOn } from '../config/signers.ts';
import { type Milliseconds, nowSeconds, type UnixSeconds } from '../lib/units.ts';
import { log, logFault } from '../log/log.ts';
import { parseReconcile, sendReconcile } from '../message/queue.ts';
import type { SignerName } from '../network/network.ts';
import { rulesFor } from '../network/sandbox.ts';
import type { Backend } from '../operations/backend.ts';
import { passName } from '../pass/pass.ts';
import type { NetworkPlace } from '../store/all-shards.ts';
import type { RowPlace } from '../store/passes.ts';
import { PUBLISHED_SECONDS } from '../store/placements.ts';
import { compareRows, compareWithChain, type PassOfSlice, Tally } from './compare.ts';

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
  const run = await backend.store.runOfNight(night);
  if (run === undefined) return false;
  const position = parsePosition(run.position);
  const part = currentPartOf(position);
  // The passes of a part do not wait for the next night, because public checks say until then that the network is behind.
  if (part === undefined && run.slices >= (maxSlices ?? slicesOfNight({ started: run.started, night }))) return false;
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
  const finished = part === undefined && isLast ? nowSeconds() : undefined;
  // If a message is delivered twice, the slice runs twice, which changes nothing, and counts once.
  const slice = { position: formatPosition(positionAfter(isUndecided)), finished, counts: tally.counts };
  const counts = await backend.store.advanceRun(run, slice, absences);
  if (counts === undefined) return false;
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

/**
 * The place that a run has reached. It first reads every row of the read model, shard after shard. Then it reads the passes
 * whose steps the signers remember, which reach back a day: a pass that changed since the last night must have a row.
 */
type RunPlace =
  | ({ readonly in: 'rows' } & RowPlace)
  | { readonly in: 'steps'; readonly signer: SignerName; readonly after: string };

/** The passes of a network that a run visits before all others, because its watcher has missed changes. */
interface NetworkPart {
  readonly network: string;
  /** Time by the clock of the watcher. The part finds every change before it. */
  readonly since: Milliseconds;
  /** The place that the part has reached; undefined: it begins. */
  readonly at?: NetworkPlace | undefined;
  /** Whether a pass could not be compared. Then the next run visits the network again. */
  readonly isUndecided?: boolean | undefined;
  /** Whether the part waits for the next run. */
  readonly waits?: boolean | undefined;
}

/** Position of a run. `store.reconcileFirst` adds the parts. */
interface RunPosition {
  readonly first: readonly NetworkPart[];
  readonly place: RunPlace;
}

/** Maximum number of passes in a slice. */
export const SLICE_MAX_PASSES = 100;

/** Returns the maximum number of slices in that night of a run, so that a run over ten million passes takes seven nights. */
export const slicesOfNight = ({ started, night }: { readonly started: UnixSeconds; readonly night: UnixSeconds }) =>
  night > started ? 16_500 : 2_000;

const START: RunPlace = { in: 'rows' };

const text = v.optional(v.string());
const StoredParts = v.object({
  first: v.array(
    v.object({
      network: v.string(),
      since: v.number(),
      at: v.optional(v.object({ shard: text, gatekeeperNetwork: text, id: text })),
      isUndecided: v.optional(v.boolean()),
      waits: v.optional(v.boolean()),
    }),
  ),
});
const StoredPlace = v.variant('in', [
  v.object({
    in: v.literal('rows'),
    shard: text,
    after: v.optional(v.object({ gatekeeperNetwork: v.string(), id: v.string() })),
  }),
  v.object({ in: v.literal('steps'), signer: v.string(), after: v.string() }),
]);

/** Returns the stored position. A place that only a later release knows is read as the beginning, which loses nothing. */
function parsePosition(stored: string | null): RunPosition {
  const value: unknown = JSON.parse(stored ?? '{}');
  const parts = v.safeParse(StoredParts, value);
  const place = v.safeParse(StoredPlace, value);
  return {
    first: parts.success ? parts.output.first : [],
    place: place.success ? (place.output as RunPlace) : START,
  };
}

/** A release without parts reads the place alone. */
function formatPosition({ first, place }: RunPosition): string {
  return JSON.stringify(first.length === 0 ? place : { ...place, first });
}

/** Returns the part that the run visits now; undefined: none is left. */
function currentPartOf({ first }: RunPosition): NetworkPart | undefined {
  return first.find(({ waits }) => !waits);
}

/**
 * Returns the position after a slice of the current part. A part with passes that could not be compared waits for the next run when it
 * is done, so that these passes do not keep the run from all others.
 */
function advancePart(
  { first, place }: RunPosition,
  { network, since }: NetworkPart,
  at: NetworkPlace | undefined,
  isUndecided: boolean,
): RunPosition {
  const next = at === undefined ? { network, since, waits: true } : { network, since, at, isUndecided };
  const isLeft = at !== undefined || isUndecided;
  return {
    place,
    first: first.flatMap((each) => (each.network === network ? (isLeft ? [next] : []) : [each])),
  };
}

/** Returns the position after a slice of all passes. After the last one, the next run begins with the parts that wait. */
function advancePlace({ first }: RunPosition, place: RunPlace | undefined): RunPosition {
  if (place !== undefined) return { first, place };
  return { place: START, first: first.map(({ network, since }) => ({ network, since })) };
}
