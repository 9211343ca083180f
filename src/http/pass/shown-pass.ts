import type { UnixSeconds } from '../../lib/brand.ts';
import { isValid } from '../../pass/verdict.ts';
import type { FoundPass } from '../../store/search.ts';
import { etagOf } from '../protocol/reply.ts';

/**
 * Returns the record of a pass as JSON, with its validity at `now`, and the entity tag of both. The validity depends on the time, so it is
 * never stored.
 */
export function showPass(pass: FoundPass, now: UnixSeconds): { readonly body: string; readonly etag: string } {
  const { state, record, validity } = pass;
  const { onChainState, until } = validity;
  const valid = isValid({ state, ...validity }, now);
  const validUntil = onChainState === 'ACTIVE' && until !== null ? until : undefined;
  return {
    body: `${record.slice(0, -1)},${JSON.stringify({ valid, validUntil }).slice(1)}`,
    etag: etagOf(pass, valid),
  };
}
