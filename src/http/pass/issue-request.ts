import type { Config } from '../../config/config.ts';
import type { UnixSeconds } from '../../lib/brand.ts';
import type { Backend } from '../../operations/backend.ts';
import type { PassKey } from '../../pass/pass.ts';
import { BULK_ISSUANCE, SINGLE_ISSUANCE } from '../../pass/step-kinds.ts';
import type { Accepted } from '../../pass-object/results.ts';
import type { Partner } from '../../store/partners.ts';
import { refuseForbidden } from '../access/forbidden.ts';
import { type Refusal, refuse } from '../protocol/problem.ts';
import { isRefusal } from '../protocol/reply.ts';
import { refuseUnavailable } from '../protocol/transient-error.ts';
import { retryAfterOf } from './change-pass.ts';
import { refusePastExpiry } from './future-expiry.ts';
import { type NamePointers, type PassNames, type PassTarget, passTargetOf } from './pass-target.ts';

const SHARD_FULL_DETAIL =
  'The service accepts no new passes of this partner at the moment. Try again later. You can still change existing passes.';
/** The operator must make room first. */
const SHARD_FULL_RETRY_SECONDS = 600;

/** Returns the pass to issue, or why the request is refused before any object is asked. */
export function issuanceTargetOf(
  names: PassNames,
  expiry: UnixSeconds | undefined,
  partner: Partner,
  config: Config,
  pointers: NamePointers,
): PassTarget | Refusal {
  const target = passTargetOf(names, partner, config, pointers);
  if (isRefusal(target)) return target;
  const { networks } = partner;
  const isAllowed = networks === undefined || networks.includes(target.network.network);
  return refusePastExpiry(expiry) ?? (isAllowed ? target : refuseForbidden('network_not_allowed'));
}

/** A request for an issuance beside its pass and its partner. */
interface IssueWish {
  readonly expiry: UnixSeconds | undefined;
  readonly isBulk: boolean;
  /** Whether the request waits until the pass is settled. */
  readonly waits: boolean;
  /** Whether the shard of the partner accepts new passes. */
  readonly hasRoom: boolean;
}

/** Asks the pass object for the issuance. */
export async function requestIssuance(
  key: PassKey,
  { clientId, passLifetime: lifetime, dailyIssuances: daily, dailyChanges, shard }: Partner,
  { expiry, isBulk, waits, hasRoom }: IssueWish,
  backend: Backend,
): Promise<Accepted | Refusal> {
  const hasBounds = daily !== undefined || dailyChanges !== undefined;
  const quota = hasBounds ? { clientId, daily, dailyChanges } : undefined;
  const rank = isBulk ? BULK_ISSUANCE : SINGLE_ISSUANCE;
  const order = { key, shard, lifetime, expiry, client: clientId, rank, waits, hasRoom };
  const result = await backend.passObject(key).issue(order, quota);
  if (result.type === 'accepted') return result;
  if (result.reason === 'shard_full') return refuseUnavailable(SHARD_FULL_RETRY_SECONDS, SHARD_FULL_DETAIL);
  return refuse(result.reason, { headers: retryAfterOf(result) });
}
