import { type Verdict, type VerdictRecord, verdictOfRecord } from '../../../src/pass/verdict.ts';
import type { FoundPass, PassRecord } from '../api/records.ts';
import { Badge, Time } from '../layout/format.tsx';

/** Whether dApps accept a wallet, in words and as badges. The rule is the one of the Worker. */

type Refused = Extract<Verdict, { readonly isAccepted: false }>;
type Reason = Refused['reasons'][number];

export const verdictAt = (record: PassRecord | FoundPass, now: number): Verdict =>
  // A later release may add states, and the rule then treats them as "not on chain".
  verdictOfRecord(record as VerdictRecord, now);

/** The clock of a computer may differ from that of the service by this much. */
const CLOCK_TOLERANCE_SECONDS = 3_600;

/**
 * Whether the service no longer vouches for a token that dApps may still accept: others have taken access away and no final block shows it, or the
 * gatekeeper that issued it was removed.
 */
export function isDisputed(
  { state, onChainState, valid }: PassRecord | FoundPass,
  verdict: Verdict,
  now: number,
): boolean {
  if (!verdict.isAccepted || valid || state !== 'ACTIVE' || onChainState !== 'ACTIVE') return false;
  const { until } = verdict;
  // Near its end, the service may see the pass as expired a little earlier.
  return until === undefined || (until !== 'unknown' && until > now + CLOCK_TOLERANCE_SECONDS);
}

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
export function VerdictBadges({ pass, now }: { readonly pass: PassRecord | FoundPass; readonly now: number }) {
  const verdict = verdictAt(pass, now);
  if (isDisputed(pass, verdict, now)) return <Badge state="disputed" text="IN DOUBT" />;
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

interface VerdictTextProps {
  readonly verdict: Verdict;
  readonly pass: PassRecord;
  readonly now: number;
}

/** Says in one sentence what dApps do with the wallet, since when and why. */
export function VerdictText({ verdict, pass, now }: VerdictTextProps) {
  if (isDisputed(pass, verdict, now))
    return (
      <>
        In doubt: others have changed the token or its gatekeeper, and the service no longer counts the pass as valid.
        dApps refuse this wallet now or soon.
      </>
    );
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
