import * as v from 'valibot';
import type { Milliseconds, UnixSeconds } from '../lib/brand.ts';
import type { SignerName } from '../network/signer-name.ts';
import type { NetworkPlace } from '../store/all-shards.ts';
import type { RowPlace } from '../store/passes.ts';

/**
 * The place that a run has reached. It first reads every row of the read model, shard after shard. Then it reads the passes
 * whose steps the signers remember, which reach back a day: a pass that changed since the last night must have a row.
 */
export type RunPlace =
  | ({ readonly in: 'rows' } & RowPlace)
  | { readonly in: 'steps'; readonly signer: SignerName; readonly after: string };

/** The passes of a network that a run visits before all others, because its watcher has missed changes. */
export interface NetworkPart {
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
export interface RunPosition {
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
export function parsePosition(stored: string): RunPosition {
  const value: unknown = JSON.parse(stored);
  const parts = v.safeParse(StoredParts, value);
  const place = v.safeParse(StoredPlace, value);
  return {
    first: parts.success ? parts.output.first : [],
    place: place.success ? (place.output as RunPlace) : START,
  };
}

/** A release without parts reads the place alone. */
export function formatPosition({ first, place }: RunPosition): string {
  return JSON.stringify(first.length === 0 ? place : { ...place, first });
}

/** Returns the part that the run visits now; undefined: none is left. */
export function currentPartOf({ first }: RunPosition): NetworkPart | undefined {
  return first.find(({ waits }) => !waits);
}

/**
 * Returns the position after a slice of the current part. A part with passes that could not be compared waits for the next run when it
 * is done, so that these passes do not keep the run from all others.
 */
export function advancePart(
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
export function advancePlace({ first }: RunPosition, place: RunPlace | undefined): RunPosition {
  if (place !== undefined) return { first, place };
  return { place: START, first: first.map(({ network, since }) => ({ network, since })) };
}
