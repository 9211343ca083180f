/** Names of fields whose values depend on the time, on ids, or on earlier work of the service. */
const VARYING =
  /^(?:id|requestId|identifier|timestamp|at|asOf|coveredUntil|issuedAt|notAfter|signature|validUntil|month|sequence|next|previous|hash|key|pass|issued|renewed|revoked|active)$/;

/**
 * Returns a value of JSON for a comparison with another one: its fields in their order, each with its value, or with the type of a value
 * that another answer need not have. A wallet or an expiry that the request names becomes its name.
 */
export function formOf(value: unknown, named: Readonly<Record<string, unknown>> = {}, field = ''): unknown {
  const name = Object.keys(named).find((each) => named[each] === value);
  if (name !== undefined) return name;
  if (Array.isArray(value)) return value.map((each) => formOf(each, named));
  if (value !== null && typeof value === 'object')
    return Object.entries(value).map(([key, each]) => [key, formOf(each, named, key)]);
  return VARYING.test(field) ? typeof value : value;
}
