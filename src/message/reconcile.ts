import * as v from 'valibot';

/**
 * Do the next slice of the reconciliation. It names the night it was begun in, so that what is left of an earlier one
 * does nothing: it may come twice, late or not at all.
 */
const Reconcile = v.object({ kind: v.literal('reconcile'), night: v.pipe(v.number(), v.integer()) });

/** `night` in Unix seconds. */
export async function sendReconcile(queue: Queue, night: number): Promise<void> {
  await queue.send({ kind: 'reconcile', night } satisfies v.InferOutput<typeof Reconcile>);
}

/** The night; undefined for anything that is not such a message. */
export function parseReconcile(body: unknown): number | undefined {
  const result = v.safeParse(Reconcile, body);
  return result.success ? result.output.night : undefined;
}
