import type { Verdict, VerdictRecord } from '../../../src/pass/verdict.ts';
import { verdictOfRecord } from '../../../src/pass/verdict.ts';
import type { FoundPass, PassRecord } from '../api/records.ts';
import { Badge, Time } from '../layout/format.tsx';

/** Whether dApps accept a wallet, in words and as badges. The rule is the one of the Worker. */

type Refused = Extract<Verdict, { readonly isAccepted: false }>;
type Reason = Refused['reasons'][number];

export const verdictAt = (record: PassRecord | FoundPass, now: number): Verdict =>
  // A later release may add states, and the rule then treats them as "not on chain".
  verdictOfRecord(record as VerdictRecord, now);

const REASON_LABELS: Readonly<Record<Reason, string>> = {
  not_on_chain: 'NOT ON CHAIN',
  rejected: 'REJECTED',
  revoked: 'REVOKED',
  frozen: 'FROZEN',
  expired: 'EXPIRED',
};

/** A pass that ends within this time gets a badge. */
const EXPIRING_SECONDS = 7 * 86_400;

/** Whether dApps accept the wallet now, and will refuse it soon. */
export const isExpiring = (verdict: Verdict, now: number) =>
  verdict.isAccepted && typeof verdict.until === 'number' && verdict.until - now < EXPIRING_SECONDS;

/** Shows whether dApps accept the wallet, or each reason why they refuse it. */
export function VerdictBadges({ verdict, now }: { readonly verdict: Verdict; readonly now: number }) {
  if (!verdict.isAccepted)
    return (
      <span class="badges">
        {verdict.reasons.map((reason) => (
          <Badge key={reason} state={reason} text={REASON_LABELS[reason]} />
        ))}
      </span>
    );
  return (
    <span class="badges">
      <Badge state="ACCEPTED" />
      {isExpiring(verdict, now) && <Badge state="expiring" text="EXPIRES SOON" />}
    </span>
  );
}

/** Says why dApps refuse a wallet, after "the pass". The later reasons follow "and". */
function ReasonText({ reason, verdict }: { readonly reason: Reason; readonly verdict: Refused }) {
  switch (reason) {
    case 'not_on_chain':
      return <>is not on chain yet</>;
    case 'frozen':
      return <>{verdict.reasons.includes('not_on_chain') ? 'is to be frozen' : 'is frozen'}</>;
    case 'expired':
      if (verdict.expiredAt === undefined) return <>has expired</>;
      return (
        <>
          expired on <Time seconds={verdict.expiredAt} />
        </>
      );
    default:
      return <>is {reason}</>;
  }
}

/** Says in one sentence or two what dApps do with the wallet. */
export function VerdictText({ verdict }: { readonly verdict: Verdict }) {
  if (verdict.isAccepted) {
    const { until } = verdict;
    if (until === undefined) return <>dApps accept the wallet. The pass never expires.</>;
    if (until === 'unknown') return <>dApps accept the wallet. A change of the expiry is not confirmed yet.</>;
    return (
      <>
        dApps accept the wallet until <Time seconds={until} />.
      </>
    );
  }
  if (verdict.reasons.includes('rejected'))
    return <>dApps refuse the wallet, because the chain refused the issuance.</>;
  return (
    <>
      dApps refuse the wallet, because the pass{' '}
      {verdict.reasons.map((reason, place) => (
        <span key={reason}>
          {place > 0 && ' and '}
          <ReasonText reason={reason} verdict={verdict} />
        </span>
      ))}
      .
    </>
  );
}
