import * as v from 'valibot';

/** Whether the call is executed and only its answer is lost. */
const carriedOut = v.optional(v.boolean(), false);

/** How a call fails. */
export const Fault = v.union([
  /** `sendTransaction` answers normally, and the transaction never enters a block. */
  v.strictObject({ drop: v.literal(true) }),
  /** The answer is delayed by this many milliseconds. */
  v.strictObject({ delayMs: v.number() }),
  v.strictObject({
    error: v.object({ code: v.number(), message: v.string(), data: v.optional(v.unknown()) }),
    carriedOut,
  }),
  /** An answer with that HTTP status and without JSON. */
  v.strictObject({ http: v.number(), carriedOut }),
  /** No answer at all. */
  v.strictObject({ hang: v.literal(true), carriedOut }),
  /** The connection is cut. */
  v.strictObject({ reset: v.literal(true), carriedOut }),
  /** An answer with status 200 that is not JSON. */
  v.strictObject({ garbage: v.literal(true), carriedOut }),
]);
export type Fault = v.InferOutput<typeof Fault>;

export const FaultRule = v.strictObject({
  /** The affected method; default: every method. */
  method: v.optional(v.string()),
  /** How many calls fail; default: all until `localnet_heal`. */
  times: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
  how: Fault,
});
export type FaultRule = v.InferOutput<typeof FaultRule>;

/** The active rules, each with its remaining calls. */
export type Faults = { readonly method: string | undefined; left: number; readonly how: Fault }[];

export function addFault(faults: Faults, { method, times, how }: FaultRule): void {
  faults.push({ method, left: times ?? Number.POSITIVE_INFINITY, how });
}

/** Returns how this call fails, by the oldest matching rule; undefined if it does not. */
export function consumeFault(faults: Faults, method: string): Fault | undefined {
  const rule = faults.find((each) => each.left > 0 && (each.method ?? method) === method);
  if (rule) rule.left--;
  return rule?.how;
}
