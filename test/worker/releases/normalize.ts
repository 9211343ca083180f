/** Fields whose values differ from run to run: only their kinds are compared. */
const VARYING = new Set(
  `id step pass wallet walletAddress gatekeeper_network gatekeeperNetwork signer hash bytes transaction identifier timestamp expiry
  expiryTimestamp asOf block seq nonce nextNonce at since unsettledSince pinnedAt signedAtMs first_signed_at not_before forget_at
  balance bookmark day cost_day until schema earlierStore name waiting unsent sent confirmed ageSeconds oldestPending lanes cost maxCost
  spent passesLeft seconds checkedAt changedAt`.split(/\s+/),
);
/** Columns and fields that hold JSON. */
const HOLDS_JSON = /^[[{]/;

const SECONDS_MIN = 1e9;
const MILLISECONDS_MIN = 1e12;

/** Returns the value with its kind in place of each primitive that differs from run to run. */
export function normalize(value: unknown, field = ''): unknown {
  if (typeof value === 'string' && HOLDS_JSON.test(value)) return normalize(JSON.parse(value), field);
  // The bucket of a histogram depends on the speed of the machine.
  if (field === 'buckets') return typeof value;
  if (Array.isArray(value)) return value.map((each) => normalize(each, field));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, normalize(each, name)]));
  }
  return VARYING.has(field) ? kindOf(value) : value;
}

/** The unit of a time, the word if it is one (`at` is a time here and a status there), or else the type. */
function kindOf(value: unknown): unknown {
  if (typeof value === 'string' && /^[a-z-]+$/i.test(value)) return value;
  if (typeof value !== 'number' || value < SECONDS_MIN) return typeof value;
  return value < MILLISECONDS_MIN ? 'seconds' : 'milliseconds';
}
