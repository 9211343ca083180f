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
const REASONS: Readonly<Record<Reason, (verdict: Refused) => string>> = {
  not_on_chain: () => 'is not on chain yet',
  rejected: () => 'is not on chain, because the chain refused the issuance',
  revoked: () => 'is revoked',
  frozen: ({ reasons }) => (reasons.includes('not_on_chain') ? 'is to be frozen' : 'is frozen'),
  expired: () => 'has expired',
};

/** The event that began each refusal. */
const BEGINNINGS: Readonly<Partial<Record<Reason, string>>> = { frozen: 'TOKEN_FROZEN', revoked: 'TOKEN_REVOKED' };

/** Returns since when dApps refuse the wallet; undefined if the record does not say it. */
function refusedSince({ reasons, expiredAt }: Refused, events: PassRecord['events']): number | undefined {
  const times = reasons.map((reason) => {
    if (reason === 'expired') return expiredAt;
    const beginning = BEGINNINGS[reason];
    return beginning && events.findLast(({ eventType }) => eventType === beginning)?.timestamp;
  });
  // Each reason alone is enough, so the first one counts.
  return times.some((time) => typeof time !== 'number') ? undefined : Math.min(...(times as number[]));
}

/** Says in one sentence what dApps do with the wallet, since when and why. */
export function VerdictText({ verdict, pass }: { readonly verdict: Verdict; readonly pass: PassRecord }) {
  if (verdict.isAccepted) {
    const { until } = verdict;
    if (until === undefined) return <>dApps accept this wallet. The pass never expires.</>;
    if (until === 'unknown') return <>dApps accept this wallet. A change of the expiry is not confirmed yet.</>;
    return (
      <>
        dApps accept this wallet until <Time seconds={until} />.
      </>
    );
  }
  const because = verdict.reasons.map((reason) => REASONS[reason](verdict)).join(' and ');
  if (verdict.reasons.includes('not_on_chain')) return <>Not yet: dApps refuse this wallet. The pass {because}.</>;
  const since = refusedSince(verdict, pass.events);
  return (
    <>
      dApps refuse this wallet
      {since !== undefined && (
        <>
          {' '}
          since <Time seconds={since} />
        </>
      )}
      : the pass {because}.
    </>
  );
}
