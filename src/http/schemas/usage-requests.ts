import * as v from 'valibot';
import { gatekeeperNetwork, queryInteger } from './requests.ts';

/** The rules of the queries for the usage. */

const noMonth = 'must be a month, for example 2026-11';
const month = v.optional(v.pipe(v.string(noMonth), v.regex(/^[0-9]{4}-(0[1-9]|1[0-2])$/, noMonth)));

export const UsageQuery = v.strictObject({ month });

export const AllUsageQuery = v.strictObject({
  month,
  limit: v.optional(queryInteger(1, 100), '100'),
  after: v.optional(gatekeeperNetwork()),
});
