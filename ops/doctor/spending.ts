import { formatUnits } from 'viem/utils';
import type { AdminCall } from '../admin-api.ts';
import { check, type Finding, fail, notice, ok, skip, type Verdict } from './check.ts';

/** Checks today's spending of the signers, as `GET /admin/signers` reports it. */

interface Budget {
  readonly spent: string;
  readonly ceiling: string;
  readonly reserve: string;
}

interface ShownSigner {
  readonly network: string;
  readonly chain: string;
  readonly address: string;
  readonly spending?: Budget;
  readonly lanes?: readonly { readonly gatekeeperNetwork: string; readonly spending: Budget }[];
}

const RAISE =
  'find out which partner spends it (GET /admin/signers), or raise dailyCeiling or dailyLaneCeiling in NETWORKS';
/** At this share of a ceiling, the operator gets a notice. */
const NOTABLE_PERCENT = 80n;

/** Returns a finding for each signer of the service. */
export async function spendingFindings(call: AdminCall): Promise<Finding[]> {
  const { signers } = await call<{ signers: readonly ShownSigner[] }>('GET', '/admin/signers');
  return Promise.all(
    signers.map((signer) => check(`${signer.network}, ${signer.address}, spending`, () => spendingVerdict(signer))),
  );
}

export function spendingVerdict({ chain, spending, lanes = [] }: ShownSigner): Verdict {
  if (spending === undefined) return skip('the signer does not answer');
  const format = (smallest: string) => formatUnits(BigInt(smallest), chain === 'ethereum' ? 18 : 9);
  const all = [
    { of: '', ...spending },
    ...lanes.map((lane) => ({ of: ` for ${lane.gatekeeperNetwork}`, ...lane.spending })),
  ];
  const shareOf = ({ spent, ceiling }: Budget) => (BigInt(spent) * 100n) / BigInt(ceiling);
  const [most = { of: '', ...spending }] = all.toSorted((a, b) => Number(shareOf(b) - shareOf(a)));
  const told = [...new Set([all[0] ?? most, most])].map(
    (budget) =>
      `${format(budget.spent)} of ${format(budget.ceiling)} spent today${budget.of}, reserve ${format(budget.reserve)}`,
  );
  const note = told.join('; ');
  if (shareOf(most) >= 100n) return fail(note, RAISE);
  return shareOf(most) >= NOTABLE_PERCENT ? notice(note) : ok(note);
}
