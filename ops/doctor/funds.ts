import type { EnabledNetwork } from '../../src/config/signers.ts';
import type { ChainDoctor } from './chain.ts';
import { ok, told, unchecked, type Verdict, wrong } from './check.ts';

/** With fewer to come it is time to send more. */
const FEWEST = 10n;

/**
 * For how many passes the funds of a key last, at the most that is paid for one now.
 * @param cost Of an issuance; `more`: than there is; undefined: not known.
 */
export async function fundsVerdict(
  { funds, amount, besides }: ChainDoctor,
  signer: EnabledNetwork,
  cost: bigint | 'more' | undefined,
): Promise<Verdict> {
  const has = await funds(signer);
  const without = besides ? `, without ${besides}` : '';
  if (has === 0n) return tooFew('it has none', signer);
  if (cost === undefined)
    return unchecked(`it has ${amount(has)}; without an issuance to try, what one costs is not known`);
  if (cost === 'more') return tooFew(`${amount(has)}: an issuance takes more`, signer);
  if (cost === 0n) return ok(`${amount(has)}; an issuance costs nothing at the moment${without}`);
  const passes = has / cost;
  const lasts = `${amount(has)}, for ${passes} passes of ${amount(cost)}, the most that is paid for one now${without}`;
  return passes < FEWEST ? tooFew(lasts, signer) : ok(lasts);
}

/** Whether the passes of a retired key are to be changed at all is known to the operator only. */
function tooFew(why: string, { gatekeeper, network }: EnabledNetwork): Verdict {
  const remedy = `send more to ${gatekeeper.address} on ${network.network}`;
  if (!gatekeeper.retired) return wrong(why, remedy);
  return told(`${why}; retired, it pays for changes to its passes only: if some are to be made, ${remedy}`);
}
