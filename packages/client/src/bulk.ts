import { GatepassProblem } from './errors.ts';
import type { Pass, PassKey, PassUpdate } from './pass.ts';
import type { components } from './schema.ts';

type Schemas = components['schemas'];

/**
 * A pass to issue. `expiryTimestamp` in Unix seconds overrides the partner's default lifetime. `reference` is your own name for the pass,
 * and `subject` your own name for the person who has the wallet.
 */
export type IssueItem = PassKey & {
  readonly expiryTimestamp?: number | undefined;
  readonly reference?: string | undefined;
  readonly subject?: string | undefined;
};
/** A pass to change. */
export type UpdateItem = PassKey & PassUpdate;
export type ItemResults = Schemas['ItemResults'];

/**
 * The outcome of one item: the pass, or the problem with which the service refused the item. `isSettled`: nothing is left to do on
 * chain. Otherwise an event of the feed shows the end of the change.
 */
export type ItemOutcome =
  | { readonly pass: Pass; readonly isSettled: boolean; readonly problem?: undefined }
  | { readonly problem: GatepassProblem; readonly pass?: undefined };

export interface AnyItem extends PassKey {
  readonly state?: PassUpdate['state'] | undefined;
  readonly expiryTimestamp?: number | undefined;
  readonly reference?: string | null | undefined;
  readonly subject?: string | null | undefined;
  readonly reason?: string | undefined;
}

/** Returns the item as the service expects it. A pass used as a key has more fields, which the service would refuse. */
export function itemOf({ chain, walletAddress, state, expiryTimestamp, reference, subject, reason }: AnyItem) {
  const { type, network } = chain;
  return {
    chain: { type, network },
    walletAddress,
    ...(state !== undefined && { state }),
    ...(expiryTimestamp !== undefined && { expiryTimestamp }),
    // Only the items of a change have a null.
    ...(reference !== undefined && { reference: reference as string }),
    ...(subject !== undefined && { subject: subject as string }),
    ...(reason !== undefined && { reason }),
  };
}

/** Returns the outcome of a result. */
export function outcomeOf(result: ItemResults['results'][number]): ItemOutcome {
  if ('record' in result) return { pass: result.record, isSettled: result.settled };
  const { status, problem, retryAfter } = result;
  const headers = new Headers({ 'x-request-id': problem.requestId });
  if (retryAfter !== undefined) headers.set('retry-after', String(retryAfter));
  return { problem: new GatepassProblem({ status, headers }, problem) };
}
