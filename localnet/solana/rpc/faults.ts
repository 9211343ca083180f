import * as v from 'valibot';

/** Whether the call is carried out all the same: then only its answer is lost. */
const carriedOut = v.optional(v.boolean(), false);

/** How a call fails. */
export const Fault = v.union([
  /** `sendTransaction` answers as ever, and the transaction never enters a block. */
  v.strictObject({ drop: v.literal(true) }),
  /** The answer takes longer by so many milliseconds. */
  v.strictObject({ delayMs: v.number() }),
  v.strictObject({
    error: v.object({ code: v.number(), message: v.string(), data: v.optional(v.unknown()) }),
    carriedOut,
  }),
  /** An answer with that HTTP status, and no JSON. */
  v.strictObject({ http: v.number(), carriedOut }),
  /** No answer at all. */
  v.strictObject({ hang: v.literal(true), carriedOut }),
  /** The connection is cut. */
  v.strictObject({ reset: v.literal(true), carriedOut }),
  /** An answer with status 200 that is no JSON. */
  v.strictObject({ garbage: v.literal(true), carriedOut }),
]);
export type Fault = v.InferOutput<typeof Fault>;

export const FaultRule = v.strictObject({
  /** Without it, every method. */
  method: v.optional(v.string()),
  /** How many calls fail; without it, all until `localnet_heal`. */
  times: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
  how: Fault,
});
export type FaultRule = v.InferOutput<typeof FaultRule>;

/** The rules in force, with the calls that each still lets fail. */
export type Faults = { readonly method: string | undefined; left: number; readonly how: Fault }[];

export function addFault(faults: Faults, { method, times, how }: FaultRule): void {
  faults.push({ method, left: times ?? Number.POSITIVE_INFINITY, how });
}

/** How this call fails, by the oldest rule that speaks of it; undefined: not at all. */
export function consumeFault(faults: Faults, method: string): Fault | undefined {
  const rule = faults.find((each) => each.left > 0 && (each.method ?? method) === method);
  if (rule) rule.left--;
  return rule?.how;
}
