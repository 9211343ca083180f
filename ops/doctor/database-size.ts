import { FILLING_SHARE, FULL_SHARE, parseDatabaseMaxBytes } from '../../src/config/database-limit.ts';
import { fail, notice, ok, skip, type Verdict } from './check.ts';

/**
 * Checks whether the database has room for new passes.
 * @param bytes Size that D1 reported; undefined: it reported none.
 */
export function verdictOnSize(bytes: number | undefined, variables: Readonly<Record<string, unknown>>): Verdict {
  if (bytes === undefined) return skip('D1 reported no size');
  const maxBytes = parseDatabaseMaxBytes(variables);
  const share = bytes / maxBytes;
  const text = `${megabytes(bytes)} of ${megabytes(maxBytes)} MB (${Math.floor(share * 100)} %)`;
  if (share >= FULL_SHARE) return fail(`${text}: the service stores no new passes there`, REMEDY);
  return share >= FILLING_SHARE ? notice(`${text}: ${REMEDY}`) : ok(text);
}

const REMEDY = 'add a shard for new gatekeeper networks, and ask Cloudflare for a larger database';

const megabytes = (bytes: number) => Math.ceil(bytes / 1_000_000).toLocaleString('en-US');
