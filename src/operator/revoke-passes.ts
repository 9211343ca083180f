import { callObject } from '../message/call-object.ts';
import { handOver } from '../message/hand-over.ts';
import type { Backend } from '../operations/backend.ts';
import { type PassKey, passName } from '../pass/pass.ts';
import type { PassState } from '../pass/vocabulary.ts';
import type { PassObject } from '../pass-object/pass-object.ts';
import type { Accepted } from '../pass-object/results.ts';

type Request = Parameters<PassObject['revoke']>[0];
type NewWallet = NonNullable<Parameters<PassObject['revoke']>[1]>;

/** The result of a slice of a revocation by the operator. */
export interface RevokedSlice {
  /** Number of passes that this request revokes. A dry run counts them and revokes none. */
  readonly revoked: number;
  /** Number of passes that were revoked before. */
  readonly alreadyRevoked: number;
  /** Number of wallets that are left alone: without a pass in a list of passes, with one in a list of wallets without a pass. */
  readonly skipped: number;
  /** Number of passes that cannot be revoked: no key on the network accepts new passes, or their object does not answer. */
  readonly failed: number;
  /** Number of passes by network and state, as they were before. */
  readonly passes: readonly { readonly network: string; readonly state: PassState | 'NONE'; readonly count: number }[];
}

interface Revocation {
  readonly request: Request;
  /** Whether to count only. */
  readonly isDryRun: boolean;
  /**
   * Returns the data of a new pass for a wallet without one. Then the passes that are not revoked are left alone. Undefined: wallets
   * without a pass are left alone.
   */
  readonly newWallet?: ((key: PassKey) => Promise<NewWallet>) | undefined;
}

/** The answer of a pass object. `before`: the state before; `NONE`: the wallet had no pass. */
interface Answer {
  readonly before: PassState | 'NONE';
  readonly changed: boolean;
  readonly accepted?: Accepted;
}

/** Revokes these passes, and publishes them. A pass that is revoked already stays as it is, so a slice may be repeated. */
export async function revokePasses(
  keys: readonly PassKey[],
  revocation: Revocation,
  backend: Backend,
): Promise<RevokedSlice> {
  const asked = keys.map((key) => callObject(() => ask(key, revocation, backend), 'pass', passName(key)));
  const answers = await Promise.all(asked);
  await handOver(
    answers.flatMap((answer) => answer?.accepted ?? []),
    backend,
  );
  const counts = new Map<string, { network: string; state: Answer['before']; count: number }>();
  for (const [index, { network }] of keys.entries()) {
    const state = answers[index]?.before;
    if (state === undefined) continue;
    const before = counts.get(`${network} ${state}`);
    counts.set(`${network} ${state}`, { network, state, count: (before?.count ?? 0) + 1 });
  }
  const answered = answers.filter((answer) => answer !== undefined);
  const number = (isCounted: (answer: Answer) => boolean) => answered.filter(isCounted).length;
  return {
    revoked: number(({ changed }) => changed),
    alreadyRevoked: number(({ before, changed }) => before === 'REVOKED' && !changed),
    skipped: number(({ before, changed }) => before !== 'REVOKED' && !changed),
    failed: keys.length - answered.length,
    passes: [...counts.values()],
  };
}

/** Returns the answer of a pass object; undefined if it cannot revoke. */
async function ask(
  key: PassKey,
  { request, isDryRun, newWallet }: Revocation,
  { passObject }: Backend,
): Promise<Answer | undefined> {
  const pass = passObject(key);
  const before = (await pass.readPublication())?.state ?? 'NONE';
  const isSelected = before === 'REVOKED' || (before === 'NONE') === (newWallet !== undefined);
  if (isDryRun || !isSelected) return { before, changed: isSelected && before !== 'REVOKED' };
  const result = await pass.revoke(request, before === 'NONE' ? await newWallet?.(key) : undefined);
  if (result?.type === 'kept') return { before: result.before, changed: false };
  return result?.type === 'accepted' ? { ...result, accepted: result } : undefined;
}
