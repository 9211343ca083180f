import type { UnixSeconds } from '../lib/brand.ts';
import type { PassRecord } from './record.ts';
import { verdictOfRecord } from './verdict.ts';
import { ENDS, type EndCode } from './wait-reasons.ts';

/** A pass with nothing left to do on chain, as its object and the read model know it. */
export interface EndedPass {
  readonly record: PassRecord;
  /** Whether others have taken access away, and no final block shows it yet. */
  readonly isPending: boolean;
  /** Whether the contract may count its token as void. */
  readonly isVoid: boolean;
  /** Whether the read model has its newest version; undefined: unknown. */
  readonly isPublished: boolean | undefined;
}

/** Returns why dApps accept or refuse the wallet of the pass at `now`, as a code and a sentence for the operator. Pure. */
export function endOfPass(pass: EndedPass, now: UnixSeconds): { readonly code: EndCode; readonly text: string } {
  const code = endCode(pass, now);
  const { text } = ENDS[code];
  const detail = code === 'rejected' ? pass.record.events.findLast(({ reason }) => reason)?.reason : undefined;
  return { code, text: detail === undefined ? text : `${text}: ${detail}` };
}

function endCode({ record, isPending, isVoid, isPublished }: EndedPass, now: UnixSeconds): EndCode {
  const verdict = verdictOfRecord(record, now);
  if (!verdict.isAccepted) {
    const [reason = 'not_on_chain'] = verdict.reasons;
    // A settled pass that is not on chain was rejected or revoked, which the verdict says first.
    return reason === 'not_on_chain' ? 'rejected' : reason;
  }
  if (isPending) return 'loss-pending';
  if (isVoid) return 'gatekeeper-removed';
  return isPublished === false ? 'unpublished' : 'active';
}
