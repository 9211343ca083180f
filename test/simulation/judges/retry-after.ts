import { DAY_MS } from '../../../src/lib/units.ts';
import type { Asked } from '../world/requests.ts';
import type { World } from '../world/world.ts';

/** A refusal that ends says when (docs/partners/limits.md, "Retry-After"). */

const RATE_LIMITED_SECONDS = 10;
const UNAVAILABLE_MAX_SECONDS = 600;
const UNTIL_MIDNIGHT = ['quota_reached', 'change_quota_reached', 'room_quota_reached', 'sync_quota_reached'];

interface Refused {
  readonly code: string;
  readonly retryAfter: number;
}

/** Returns the refusals in an answer that a retry may change: of the request, or of its items. */
function refusalsIn({ status, answer, retryAfter }: Asked): Refused[] {
  const { code, results = [] } = Object(answer) as {
    readonly code?: string;
    readonly results?: readonly { readonly problem?: { readonly code: string }; readonly retryAfter?: number }[];
  };
  const own =
    code !== undefined && (status === 429 || status === 503) ? [{ code, retryAfter: Number(retryAfter) }] : [];
  const ofItems = results.flatMap(({ problem, retryAfter: seconds }) =>
    problem && seconds !== undefined ? [{ code: problem.code, retryAfter: seconds }] : [],
  );
  return [...own, ...ofItems];
}

function isDocumented({ code, retryAfter }: Refused, at: number, answeredAt: number): boolean {
  const untilMidnight = (ms: number) => (DAY_MS - (ms % DAY_MS)) / 1_000;
  if (code === 'rate_limited') return retryAfter === RATE_LIMITED_SECONDS;
  if (UNTIL_MIDNIGHT.includes(code) || code === 'pass_change_limit_reached')
    return [at, answeredAt].some((ms) => Math.abs(untilMidnight(ms) - retryAfter) <= (answeredAt - at) / 1_000 + 1);
  return retryAfter > 0 && retryAfter <= UNAVAILABLE_MAX_SECONDS;
}

export function faultsOfRetryAfter({ requests }: World): string[] {
  return requests.asked.flatMap((asked) => {
    const { client, method, at, answeredAt } = asked;
    if (answeredAt === undefined) return [];
    return refusalsIn(asked).flatMap((refused) =>
      isDocumented(refused, at, answeredAt)
        ? []
        : [`${client} gets ${refused.code} from ${method}, and shall retry after ${refused.retryAfter} s`],
    );
  });
}
