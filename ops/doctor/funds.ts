import type { EnabledNetwork } from '../../src/config/signers.ts';
import type { ChainDoctor } from './chain-doctor.ts';
import { fail, notice, ok, skip, type Verdict } from './check.ts';

/** With fewer to come it is time to send more. */
const PASSES_MIN_COUNT = 10n;

/**
 * Returns for how many passes the funds of a key last, if each costs the most that the service pays for one now.
 * @param cost Of an issuance; `more`: than there is; undefined: not known.
 */
export async function checkFunds(
  { readFunds, formatAmount }: ChainDoctor,
  signer: EnabledNetwork,
  cost: bigint | 'more' | undefined,
): Promise<Verdict> {
  const has = await readFunds(signer);
  if (has === 0n) return tooFewVerdict('it has none', signer);
  if (cost === undefined)
    return skip(`it has ${formatAmount(has)}; without an issuance to try, what one costs is not known`);
  if (cost === 'more') return tooFewVerdict(`${formatAmount(has)}: an issuance takes more`, signer);
  if (cost === 0n) return ok(`${formatAmount(has)}; an issuance costs nothing at the moment`);
  const passes = has / cost;
  const lasts = `${formatAmount(has)}, for ${passes} passes of ${formatAmount(cost)}, the most that is paid for one now`;
  return passes < PASSES_MIN_COUNT ? tooFewVerdict(lasts, signer) : ok(lasts);
}

/** Whether the passes of a retired key are to be changed at all is known to the operator only. */
function tooFewVerdict(why: string, { gatekeeper, network }: EnabledNetwork): Verdict {
  const remedy = `send more to ${gatekeeper.address} on ${network.network}`;
  if (!gatekeeper.retired) return fail(why, remedy);
  return notice(`${why}; retired, it pays for changes to its passes only: if some are to be made, ${remedy}`);
}
